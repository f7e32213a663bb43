import { CloudFormationClient, DescribeStacksCommand } from "@aws-sdk/client-cloudformation";
import * as v from "valibot";
import { openPusher } from "../../aws/push.ts";
import { maxAttempts } from "../../aws/timeouts.ts";
import { openVault } from "../../aws/vault.ts";
import { openTable } from "../../table/table.ts";
import { OperatorError } from "./operator-error.ts";
import {
  apiStack,
  type ConnectionTarget,
  dataStack,
  type FunctionTarget,
  type OutputsOf,
  openLambda,
  type PlanTarget,
  planStack,
  planTarget,
  type StackKind,
  streamStack,
  type Target,
} from "./target.ts";

/**
 * Finds a deployed service.
 * @throws {OperatorError} if no region is set, or the stack is of another kind. The functions below throw it as well.
 */
export async function openStack(name: string): Promise<Target> {
  const { TableName, KeyId } = await outputsOf(name, dataStack);
  return { table: openTable(TableName), vault: openVault(KeyId) };
}

export async function openStackFunctions(name: string): Promise<FunctionTarget> {
  const { RecordExecutionsFunction } = await outputsOf(name, apiStack);
  return { lambda: openLambda(), recordExecutions: RecordExecutionsFunction };
}

/**
 * @throws {OperatorError} also if the API stack uses another table. That table would have no record of these keys, so
 * all of them would be deleted as unused.
 */
export async function openStackPlans(name: string, apiStackName: string): Promise<PlanTarget> {
  const { TableName } = await outputsOf(name, dataStack);
  const outputs = await outputsOf(apiStackName, planStack);
  if (outputs.TableName !== TableName)
    throw new OperatorError(
      `Stack ${apiStackName} works on the table ${outputs.TableName}, and stack ${name} has ${TableName}; ` +
        "name two stacks that belong together",
    );
  return planTarget(openTable(TableName), outputs, { graceMs: outputs.KeyGraceSeconds * 1000 });
}

export async function openStackConnections(name: string, apiStackName: string): Promise<ConnectionTarget> {
  const { TableName } = await outputsOf(name, dataStack);
  const { CallbackUrl } = await outputsOf(apiStackName, streamStack);
  return { table: openTable(TableName), pusher: openPusher({ endpoint: CallbackUrl, maxAttempts }) };
}

/** @throws {OperatorError} if the stack lacks an output, or no region is set. */
export async function outputsOf<Kind extends StackKind>(
  name: string,
  { outputs: schema, label, example }: Kind,
): Promise<OutputsOf<Kind>> {
  const client = new CloudFormationClient();
  await client.config.region().catch(() => {
    throw new OperatorError("No AWS region: set AWS_REGION, or AWS_PROFILE to a profile that has one");
  });
  const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: name }));
  const given = Stacks[0]?.Outputs ?? [];
  const outputs = v.safeParse(
    schema,
    Object.fromEntries(given.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue])),
  );
  if (outputs.success) return outputs.output;
  const wanted = Object.keys(schema.entries).join(", ");
  throw new OperatorError(`Stack ${name} lacks the outputs ${wanted}; name the ${label}, such as ${example}`);
}
