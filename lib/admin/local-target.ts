import * as v from "valibot";
import { openTable } from "../aws/table.ts";
import { openVault } from "../aws/vault.ts";
import { openLambda } from "./lambda-client.ts";
import { OperatorError } from "./operator-error.ts";
import { type PlanTarget, planTarget } from "./plan-target.ts";
import { apiStack, dataStack, planStack } from "./stack-outputs.ts";
import type { Functions, Target } from "./target.ts";

const access = {
  region: v.string(),
  credentials: v.object({ accessKeyId: v.string(), secretAccessKey: v.string() }),
};

/** What the local runner says of the data, of the functions, and of users' plans. */
const Data = v.object({
  outputs: dataStack.outputs,
  endpoints: v.object({ dynamodb: v.string(), kms: v.string() }),
  ...access,
});
const Api = v.object({ outputs: apiStack.outputs, endpoints: v.object({ lambda: v.string() }), ...access });
const Plans = v.object({
  outputs: v.object({ ...dataStack.outputs.entries, ...planStack.outputs.entries }),
  endpoints: v.object({ dynamodb: v.string(), apigateway: v.string() }),
  ...access,
});

const patience = 5000;

/** @throws {OperatorError} when no runner has its base_url on that port. */
export async function openLocal(port: number): Promise<Target> {
  const { outputs, endpoints, region, credentials } = await describe(port, Data);
  const at = (endpoint: string) => ({ endpoint, region, credentials });
  return {
    table: openTable(outputs.TableName, at(endpoints.dynamodb)),
    vault: openVault(outputs.KeyId, at(endpoints.kms)),
  };
}

/** @throws {OperatorError} when no runner has its base_url on that port. */
export async function openLocalFunctions(port: number): Promise<Functions> {
  const { outputs, endpoints, region, credentials } = await describe(port, Api);
  return {
    lambda: openLambda({ endpoint: endpoints.lambda, region, credentials }),
    recordExecutions: outputs.RecordExecutionsFunction,
  };
}

/** @throws {OperatorError} when no runner has its base_url on that port. */
export async function openLocalPlans(port: number): Promise<PlanTarget> {
  const { outputs, endpoints, region, credentials } = await describe(port, Plans);
  const table = openTable(outputs.TableName, { endpoint: endpoints.dynamodb, region, credentials });
  // The runner knows a key as soon as it is made.
  return planTarget(table, outputs, { grace: 0, endpoint: endpoints.apigateway, region, credentials });
}

async function describe<Description extends v.GenericSchema>(
  port: number,
  schema: Description,
): Promise<v.InferOutput<Description>> {
  const description = v.safeParse(schema, await ask(port));
  if (description.success) return description.output;
  throw new OperatorError(`What answers on port ${port} is not the local runner; start it with npm start`);
}

async function ask(port: number): Promise<unknown> {
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
