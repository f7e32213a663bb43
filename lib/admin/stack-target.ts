import { CloudFormationClient, DescribeStacksCommand } from "@aws-sdk/client-cloudformation";
import * as v from "valibot";
import { openTable } from "../aws/table.ts";
import { openVault } from "../aws/vault.ts";
import { OperatorError } from "./operator-error.ts";
import { StackOutputs } from "./stack-outputs.ts";
import type { Target } from "./target.ts";

/**
 * The account, the region and the credentials are those of the usual AWS environment.
 *
 * @throws {OperatorError} when there is no region, or the stack is not a data stack.
 */
export async function openStack(name: string): Promise<Target> {
  const client = new CloudFormationClient();
  await client.config.region().catch(() => {
    throw new OperatorError("No AWS region: set AWS_REGION, or AWS_PROFILE to a profile that has one");
  });
  const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: name }));
  const given = Stacks[0]?.Outputs ?? [];
  const outputs = v.safeParse(
    StackOutputs,
    Object.fromEntries(given.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue])),
  );
  if (!outputs.success) {
    throw new OperatorError(
      `Stack ${name} has no outputs ${Object.keys(StackOutputs.entries).join(" and ")}; name the data stack`,
    );
  }
  return { table: openTable(outputs.output.TableName), vault: openVault(outputs.output.KeyId) };
}
