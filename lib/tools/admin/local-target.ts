import { SSMClient } from "@aws-sdk/client-ssm";
import * as v from "valibot";
import { openPusher } from "../../aws/push.ts";
import { openVault } from "../../aws/vault.ts";
import { openTable } from "../../table/table.ts";
import { OperatorError } from "./operator-error.ts";
import {
  apiStack,
  type ConnectionTarget,
  dataStack,
  type FunctionTarget,
  openLambda,
  type PlanTarget,
  planStack,
  planTarget,
  type Target,
} from "./target.ts";

/** Fields that are read from the local runner's response at /_local/outputs. */
const access = {
  region: v.string(),
  credentials: v.object({ accessKeyId: v.string(), secretAccessKey: v.string() }),
};
const Data = v.object({
  outputs: dataStack.outputs,
  endpoints: v.object({ dynamodb: v.string(), kms: v.string() }),
  ...access,
});
const Functions = v.object({
  outputs: apiStack.outputs,
  endpoints: v.object({ lambda: v.string() }),
  ...access,
});
const Plans = v.object({
  outputs: v.object({ ...dataStack.outputs.entries, ...planStack.outputs.entries }),
  endpoints: v.object({ dynamodb: v.string(), apigateway: v.string() }),
  ...access,
});

const Connections = v.object({
  outputs: dataStack.outputs,
  endpoints: v.object({ dynamodb: v.string(), apigatewaymanagementapi: v.string() }),
  ...access,
});

const Parameters = v.object({ endpoints: v.object({ ssm: v.string() }), ...access });

const answerMs = 5000;

/**
 * Finds the local runner's service.
 * @throws {OperatorError} if no local runner is at that port. The functions below throw it as well.
 */
export async function openLocal(port: number): Promise<Target> {
  const { outputs, endpoints, region, credentials } = await describeRunner(port, Data);
  const at = (endpoint: string) => ({ endpoint, region, credentials });
  return {
    table: openTable(outputs.TableName, at(endpoints.dynamodb)),
    vault: openVault(outputs.KeyId, at(endpoints.kms)),
  };
}

export async function openLocalFunctions(port: number): Promise<FunctionTarget> {
  const { outputs, endpoints, region, credentials } = await describeRunner(port, Functions);
  return {
    lambda: openLambda({ endpoint: endpoints.lambda, region, credentials }),
    recordExecutions: outputs.RecordExecutionsFunction,
  };
}

export async function openLocalPlans(port: number): Promise<PlanTarget> {
  const { outputs, endpoints, region, credentials } = await describeRunner(port, Plans);
  const table = openTable(outputs.TableName, { endpoint: endpoints.dynamodb, region, credentials });
  // Needs no wait, because the local runner accepts a new key at once.
  return planTarget(table, outputs, { graceMs: 0, endpoint: endpoints.apigateway, region, credentials });
}

export async function openLocalConnections(port: number): Promise<ConnectionTarget> {
  const { outputs, endpoints, region, credentials } = await describeRunner(port, Connections);
  return {
    table: openTable(outputs.TableName, { endpoint: endpoints.dynamodb, region, credentials }),
    pusher: openPusher({ endpoint: endpoints.apigatewaymanagementapi, region, credentials }),
  };
}

export async function openLocalParameters(port: number): Promise<SSMClient> {
  const { endpoints, region, credentials } = await describeRunner(port, Parameters);
  return new SSMClient({ endpoint: endpoints.ssm, region, credentials });
}

/** Reads the runner's description of itself, limited to the fields in the schema. */
export async function describeRunner<Description extends v.GenericSchema>(
  port: number,
  schema: Description,
): Promise<v.InferOutput<Description>> {
  const description = v.safeParse(schema, await fetchOutputs(port));
  if (description.success) return description.output;
  throw new OperatorError(
    `The server on port ${port} is not the local runner; start the runner with npm start`,
  );
}

async function fetchOutputs(port: number): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(`http://127.0.0.1:${port}/_local/outputs`, {
      signal: AbortSignal.timeout(answerMs),
    });
  } catch {
    throw new OperatorError(`No server answers on port ${port}; start the local runner with npm start`);
  }
  if (response.status === 503) {
    throw new OperatorError(`The local runner on port ${port} is still starting; try again in a moment`);
  }
  return response.json().catch(() => undefined);
}
