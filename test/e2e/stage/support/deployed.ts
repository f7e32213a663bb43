import {
  CloudFormationClient,
  DescribeStacksCommand,
  paginateListStackResources,
} from "@aws-sdk/client-cloudformation";
import { CloudWatchClient, type MetricAlarm, paginateDescribeAlarms } from "@aws-sdk/client-cloudwatch";
import { CloudWatchLogsClient, paginateFilterLogEvents } from "@aws-sdk/client-cloudwatch-logs";
import { IAMClient, SimulatePrincipalPolicyCommand } from "@aws-sdk/client-iam";
import {
  GetFunctionConfigurationCommand,
  LambdaClient,
  ListEventSourceMappingsCommand,
} from "@aws-sdk/client-lambda";
import { type OperationName, operations } from "../../../../lib/operations/operations.ts";
import { OperatorError } from "../../../../lib/tools/admin/operator-error.ts";

/** Parts that only a deployment has: logs, alarms, and resources named by CloudFormation. */
export type Deployed = Awaited<ReturnType<typeof openDeployed>>;

/** Access logs of the REST and the WebSocket API, by the names of their log groups in the stack. */
export const accessLogs = ["ApiAccessLog", "StreamAccessLog"];

/** @throws {OperatorError} if the API stack does not exist. */
export async function openDeployed({ api, watch }: { api: string; watch: string }) {
  const stacks = new CloudFormationClient();
  const logs = new CloudWatchLogsClient();
  const alarms = new CloudWatchClient();
  const lambda = new LambdaClient();
  const iam = new IAMClient();
  const lambdas: string[] = [];
  const names = await namesIn(stacks, api, lambdas);

  const find = (id: string) =>
    [...names].find(([logicalId]) => new RegExp(`^${id}[0-9A-F]{8}$`).test(logicalId))?.[1];

  /**
   * Physical name of a resource in the API stack or its nested stacks. The logical id consists of this name and eight
   * digits.
   */
  function nameOf(id: string): string {
    const found = find(id);
    if (found === undefined) throw new OperatorError(`Stack ${api} has no resource ${id}`);
    return found;
  }

  const rows = Object.keys(operations) as OperationName[];
  /** Physical names of the functions, by operation. Some exist only with trading or exports. */
  const functions = new Map(
    rows.flatMap((name): [OperationName, string][] => {
      const found = find(`${name}Function`);
      return found === undefined ? [] : [[name, found]];
    }),
  );

  const configurationOf = (name: OperationName) =>
    lambda.send(new GetFunctionConfigurationCommand({ FunctionName: nameOf(`${name}Function`) }));

  return {
    region: await lambda.config.region(),
    functions,
    nameOf,

    /** Reads the environment variables of a function. */
    async environmentOf(name: OperationName): Promise<Record<string, string>> {
      const { Environment } = await configurationOf(name);
      return Environment?.Variables ?? {};
    },

    /** Names each function whose code is not that of this checkout. Loads CDK, which takes seconds, only now. */
    async codeFaults(): Promise<string[]> {
      const { codeFaults } = await import("../../../../lib/tools/release/deployed-code.ts");
      return codeFaults(lambda, { functions, all: lambdas });
    },

    /** State of the function's event source mappings, and the result of their last run. */
    async mappingsOf(name: OperationName): Promise<{ state: string; result: string }[]> {
      const { EventSourceMappings = [] } = await lambda.send(
        new ListEventSourceMappingsCommand({ FunctionName: nameOf(`${name}Function`) }),
      );
      return EventSourceMappings.map(({ State = "", LastProcessingResult = "" }) => ({
        state: State,
        result: LastProcessingResult,
      }));
    },

    /** Counts the log lines that match a filter pattern of CloudWatch Logs. Stops at the first page with matches. */
    async linesIn(log: string, filterPattern: string, since: Date): Promise<number> {
      const query = { logGroupName: nameOf(log), filterPattern, startTime: since.getTime() };
      for await (const { events = [] } of paginateFilterLogEvents({ client: logs }, query))
        if (events.length > 0) return events.length;
      return 0;
    },

    /** Alarms of the watch stack. */
    async alarms(): Promise<MetricAlarm[]> {
      const found: MetricAlarm[] = [];
      for await (const { MetricAlarms = [] } of paginateDescribeAlarms(
        { client: alarms },
        { AlarmNamePrefix: `${watch}-` },
      ))
        found.push(...MetricAlarms);
      return found;
    },

    /** Time of the watch stack's last change. */
    async watchedSince(): Promise<Date> {
      const { Stacks = [] } = await stacks.send(new DescribeStacksCommand({ StackName: watch }));
      const { LastUpdatedTime, CreationTime = new Date() } = Stacks[0] ?? {};
      return LastUpdatedTime ?? CreationTime;
    },

    /** Returns whether IAM allows a function to make a call on a resource with these tags. */
    async mayCall(
      name: OperationName,
      { action, resource, tags }: { action: string; resource: string; tags: Record<string, string> },
    ): Promise<boolean> {
      const { Role: PolicySourceArn } = await configurationOf(name);
      const { EvaluationResults = [] } = await iam.send(
        new SimulatePrincipalPolicyCommand({
          PolicySourceArn,
          ActionNames: [action],
          ResourceArns: [resource],
          ContextEntries: Object.entries(tags).map(([tag, value]) => ({
            ContextKeyName: `aws:ResourceTag/${tag}`,
            ContextKeyType: "string" as const,
            ContextKeyValues: [value],
          })),
        }),
      );
      return EvaluationResults.every(({ EvalDecision }) => EvalDecision === "allowed");
    },
  };
}

/** Physical names of the resources in a stack and its nested stacks, by logical id. Adds those of functions to a list. */
async function namesIn(
  client: CloudFormationClient,
  StackName: string,
  lambdas: string[],
): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName }))
    for (const { LogicalResourceId = "", PhysicalResourceId = "", ResourceType } of StackResourceSummaries) {
      names.set(LogicalResourceId, PhysicalResourceId);
      if (ResourceType === "AWS::Lambda::Function") lambdas.push(PhysicalResourceId);
      if (ResourceType !== "AWS::CloudFormation::Stack") continue;
      for (const [id, name] of await namesIn(client, PhysicalResourceId, lambdas)) names.set(id, name);
    }
  return names;
}

/** Functions with alarms, by physical name. */
export const watchedFunctions = (alarms: readonly MetricAlarm[]): string[] =>
  alarms
    .flatMap(({ Dimensions = [], Metrics = [] }) => [
      ...Dimensions,
      ...Metrics.flatMap(({ MetricStat }) => MetricStat?.Metric?.Dimensions ?? []),
    ])
    .filter(({ Name }) => Name === "FunctionName")
    .map(({ Value = "" }) => Value);
