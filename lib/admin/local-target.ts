import * as v from "valibot";
import { openTable } from "../aws/table.ts";
import { openVault } from "../aws/vault.ts";
import { OperatorError } from "./operator-error.ts";
import { StackOutputs } from "./stack-outputs.ts";
import type { Target } from "./target.ts";

/** What the local runner says of itself. */
const Description = v.object({
  outputs: StackOutputs,
  endpoints: v.object({ dynamodb: v.string(), kms: v.string() }),
  region: v.string(),
  credentials: v.object({ accessKeyId: v.string(), secretAccessKey: v.string() }),
});

const patience = 5000;

/** @throws {OperatorError} when no runner has its base_url on that port. */
export async function openLocal(port: number): Promise<Target> {
  const description = v.safeParse(Description, await describe(port));
  if (!description.success) {
    throw new OperatorError(`What answers on port ${port} is not the local runner; start it with npm start`);
  }
  const { outputs, endpoints, region, credentials } = description.output;
  const at = (endpoint: string) => ({ endpoint, region, credentials });
  return {
    table: openTable(outputs.TableName, at(endpoints.dynamodb)),
    vault: openVault(outputs.KeyId, at(endpoints.kms)),
  };
}

async function describe(port: number): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(`http://127.0.0.1:${port}/_local/outputs`, {
      signal: AbortSignal.timeout(patience),
    });
  } catch {
    throw new OperatorError(`Nothing answers on port ${port}; start the local runner with npm start`);
  }
  if (response.status === 503) {
    throw new OperatorError(`The local runner on port ${port} is still starting; try again in a moment`);
  }
  return response.json().catch(() => undefined);
}
