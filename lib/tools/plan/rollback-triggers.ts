import {
  CloudFormationClient,
  DescribeStacksCommand,
  paginateListStackResources,
} from "@aws-sdk/client-cloudformation";
import { CloudWatchClient, DescribeAlarmsCommand } from "@aws-sdk/client-cloudwatch";
import { OperatorError } from "../admin/operator-error.ts";

/** Minutes for which CloudFormation watches the triggers after an update, before it removes what it replaced. */
export const watchedMinutes = 10;

/** Alarms that show within minutes that an update broke trading. Each takes part in the logical id of its resource. */
const triggers = ["SignatureRefused", "executeOrdersFailures"] as const;

/** True if this stack exists. It must not be one that failed at its first deploy. */
export async function isStackDeployed(stackName: string): Promise<boolean> {
  const client = new CloudFormationClient();
  try {
    const { Stacks: [stack] = [] } = await client.send(new DescribeStacksCommand({ StackName: stackName }));
    return (
      stack !== undefined && !["REVIEW_IN_PROGRESS", "ROLLBACK_COMPLETE"].includes(`${stack.StackStatus}`)
    );
  } catch (error) {
    if (error instanceof Error && error.name === "ValidationError") return false;
    throw error;
  }
}

/**
 * Finds the ARNs of the alarms that end an update. Empty if trading is off, or the alarms are not deployed yet.
 *
 * @throws {OperatorError} if one of them is on, because CloudFormation would roll back each update at once.
 */
export async function rollbackTriggers(watchStack: string): Promise<string[]> {
  if (!(await isStackDeployed(watchStack))) return [];
  const names = await alarmNames(watchStack);
  if (names.length === 0) return [];
  const { MetricAlarms = [] } = await new CloudWatchClient().send(
    new DescribeAlarmsCommand({ AlarmNames: names }),
  );
  const raised = MetricAlarms.filter(({ StateValue }) => StateValue === "ALARM");
  if (raised.length > 0)
    throw new OperatorError(
      `These alarms are on, so CloudFormation would roll back the deploy at once: ${raised.map(({ AlarmName }) => AlarmName).join(", ")}. To deploy a fix, add --no-rollback-triggers`,
    );
  return MetricAlarms.flatMap(({ AlarmArn }) => AlarmArn ?? []);
}

async function alarmNames(StackName: string): Promise<string[]> {
  const isTrigger = new RegExp(`^Alarms(${triggers.join("|")})[0-9A-F]{8}$`);
  const names: string[] = [];
  const client = new CloudFormationClient();
  for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName }))
    for (const { LogicalResourceId = "", PhysicalResourceId } of StackResourceSummaries)
      if (isTrigger.test(LogicalResourceId) && PhysicalResourceId !== undefined)
        names.push(PhysicalResourceId);
  return names;
}
