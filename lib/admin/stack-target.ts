import { CloudFormationClient, DescribeStacksCommand } from "@aws-sdk/client-cloudformation";
import * as v from "valibot";
import { openTable } from "../aws/table.ts";
import { openVault } from "../aws/vault.ts";
import { keyGraceSeconds } from "../domain/plan.ts";
import { openLambda } from "./lambda-client.ts";
import { OperatorError } from "./operator-error.ts";
import { type PlanTarget, planTarget } from "./plan-target.ts";
import { apiStack, dataStack, type OutputsOf, planStack, type StackKind } from "./stack-outputs.ts";
import type { Functions, Target } from "./target.ts";

/**
 * The account, the region and the credentials are those of the usual AWS environment.
 *
 * @throws {OperatorError} when there is no region, or the stack is not a data stack.
 */
export async function openStack(name: string): Promise<Target> {
  const { TableName, KeyId } = await outputsOf(name, dataStack);
  return { table: openTable(TableName), vault: openVault(KeyId) };
}

/**
 * The same for the functions of an API stack.
 *
 * @throws {OperatorError} when there is no region, or the stack is not an API stack.
 */
export async function openStackFunctions(name: string): Promise<Functions> {
  const { RecordExecutionsFunction } = await outputsOf(name, apiStack);
  return { lambda: openLambda(), recordExecutions: RecordExecutionsFunction };
}

/**
 * The same for users' plans: their profiles in a data stack, the plans in an API stack.
 *
 * @throws {OperatorError} when there is no region, or one of the stacks is not of its kind.
 */
export async function openStackPlans(name: string, apiStackName: string): Promise<PlanTarget> {
  const { TableName } = await outputsOf(name, dataStack);
  const outputs = await outputsOf(apiStackName, planStack);
  return planTarget(openTable(TableName), outputs, { grace: keyGraceSeconds * 1000 });
}

async function outputsOf<Kind extends StackKind>(
  name: string,
  { outputs: schema, called, example }: Kind,
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
  const wanted = Object.keys(schema.entries).join(" and ");
  throw new OperatorError(
    `The outputs of stack ${name} lack ${wanted}; name the ${called}, such as ${example}`,
  );
}
