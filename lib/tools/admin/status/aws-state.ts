import { CloudFormationClient, DescribeStacksCommand } from "@aws-sdk/client-cloudformation";
import {
  CloudWatchClient,
  GetMetricDataCommand,
  type Metric,
  type MetricAlarm,
  paginateDescribeAlarms,
} from "@aws-sdk/client-cloudwatch";
import { DescribeKeyCommand, KMSClient } from "@aws-sdk/client-kms";
import { tradingChains } from "../../../core/chain-facts.ts";
import type { BroadcastTimes, BrokenKey, Deployed, Deployment, Raised, Waiting } from "./status-lines.ts";

/**
 * Reads the stacks, the KMS keys that their outputs name, the alarms of the last stack, the queues and changes that these
 * alarms watch, and how long orders took.
 */
export async function readAwsState(
  dataStack: string,
  apiStack: string,
  watchStack: string,
  now: Date,
): Promise<Deployment> {
  const client = new CloudWatchClient();
  const [found, alarms] = await Promise.all([
    Promise.all([dataStack, apiStack, watchStack].map(readStack)),
    alarmsOf(client, watchStack),
  ]);
  const keys = found.flatMap(({ keys }) => keys);
  return {
    deployed: found.map(({ deployed }) => deployed),
    brokenKeys: (await Promise.all(keys.map(faultsOfKey))).flat(),
    alarms: alarms.length,
    raised: alarms
      .filter(({ StateValue }) => StateValue === "ALARM")
      .map((alarm) => raisedOf(alarm, watchStack)),
    waiting: await waitingOf(client, alarms, now),
    broadcasts: await broadcastsOf(client, apiStack, now),
  };
}

async function readStack(name: string): Promise<{ deployed: Deployed; keys: string[] }> {
  const { Stacks = [] } = await new CloudFormationClient().send(
    new DescribeStacksCommand({ StackName: name }),
  );
  const { StackStatus: state = "unknown", LastUpdatedTime, CreationTime, Outputs = [] } = Stacks[0] ?? {};
  return {
    deployed: {
      name,
      state,
      at: (LastUpdatedTime ?? CreationTime)?.toISOString(),
      isWrong: /FAILED|ROLLBACK/.test(state),
    },
    keys: Outputs.flatMap(({ OutputKey, OutputValue = [] }) => (OutputKey === "KeyId" ? OutputValue : [])),
  };
}

/** Asks KMS itself, because the alarm of an endangered key ends after 14 days, before KMS deletes the key. */
async function faultsOfKey(id: string): Promise<BrokenKey[]> {
  try {
    const { KeyMetadata } = await new KMSClient().send(new DescribeKeyCommand({ KeyId: id }));
    const { KeyState: state = "unknown", DeletionDate: deletion } = KeyMetadata ?? {};
    if (state === "Enabled") return [];
    return [{ id, words: `its state is ${state}${deletion ? ` until ${deletion.toISOString()}` : ""}` }];
  } catch (error) {
    // Shows the rest to an operator who may not ask for the key.
    return [{ id, words: `its state cannot be read: ${error instanceof Error ? error.name : "unknown"}` }];
  }
}

async function alarmsOf(client: CloudWatchClient, watchStack: string): Promise<MetricAlarm[]> {
  const found: MetricAlarm[] = [];
  for await (const { MetricAlarms = [] } of paginateDescribeAlarms(
    { client },
    { AlarmNamePrefix: `${watchStack}-` },
  ))
    found.push(...MetricAlarms);
  return found;
}

/** Shortens a name that CloudFormation has made, such as `TerminalWatch-AlarmsSignatureRefused1A2B3C4D-xyz`. */
function raisedOf(alarm: MetricAlarm, watchStack: string): Raised {
  const { AlarmName = "", AlarmDescription = "", StateTransitionedTimestamp, StateUpdatedTimestamp } = alarm;
  const [, id] = AlarmName.slice(watchStack.length + 1).match(/^(?:Alarms)?(\w+?)[0-9A-F]{8}(?:-|$)/) ?? [];
  return {
    name: id ?? AlarmName,
    since: (StateTransitionedTimestamp ?? StateUpdatedTimestamp)?.toISOString() ?? "unknown",
    words: AlarmDescription.split(/(?<=\.) /)[0] ?? "",
  };
}

/** Age in seconds from which changes are published late, as for their alarm. */
const mostChangeSeconds = 60;

/** Asks for the metrics of alarms on queues and on the age of changes. */
async function waitingOf(
  client: CloudWatchClient,
  alarms: readonly MetricAlarm[],
  now: Date,
): Promise<Waiting[]> {
  const watched = alarms.flatMap(metricOf);
  if (watched.length === 0) return [];
  const { MetricDataResults = [] } = await client.send(
    new GetMetricDataCommand({
      StartTime: new Date(now.getTime() - 15 * 60_000),
      EndTime: now,
      MetricDataQueries: watched.map((metric, index) => ({
        Id: `m${index}`,
        MetricStat: { Metric: metric, Period: 60, Stat: "Maximum" },
      })),
    }),
  );
  return watched.map((metric, index): Waiting => {
    const value = MetricDataResults.find(({ Id }) => Id === `m${index}`)?.Values?.[0];
    const name = metric.Dimensions?.[0]?.Value ?? "unknown";
    if (metric.Namespace === "AWS/SQS")
      return { name, count: value, unit: "messages", isWrong: (value ?? 0) > 0 };
    const seconds = value === undefined ? undefined : Math.round(value / 1000);
    return { name, count: seconds, unit: "seconds", isWrong: (seconds ?? 0) > mostChangeSeconds };
  });
}

/** Asks for this day's times to a broadcast. A chain without orders has none. */
async function broadcastsOf(client: CloudWatchClient, apiStack: string, now: Date) {
  const statistics = ["p50", "p95"];
  const { MetricDataResults = [] } = await client.send(
    new GetMetricDataCommand({
      StartTime: new Date(new Date(now).setUTCHours(0, 0, 0, 0)),
      EndTime: now,
      MetricDataQueries: tradingChains.flatMap((chain) =>
        statistics.map((Stat) => ({
          Id: `${chain}_${Stat}`,
          MetricStat: {
            Metric: {
              Namespace: apiStack,
              MetricName: "TimeToBroadcast",
              Dimensions: [{ Name: "Chain", Value: chain }],
            },
            Period: 86_400,
            Stat,
          },
        })),
      ),
    }),
  );
  const values = new Map(MetricDataResults.map(({ Id = "", Values = [] }) => [Id, Values[0]]));
  return new Map(
    tradingChains.flatMap((chain): [string, BroadcastTimes][] => {
      const [p50Ms, p95Ms] = statistics.map((statistic) => values.get(`${chain}_${statistic}`));
      return p50Ms === undefined || p95Ms === undefined ? [] : [[chain, { p50Ms, p95Ms }]];
    }),
  );
}

const metricOf = ({ Namespace, MetricName, Dimensions }: MetricAlarm): Metric[] =>
  Namespace === "AWS/SQS" || MetricName === "IteratorAge" ? [{ Namespace, MetricName, Dimensions }] : [];
