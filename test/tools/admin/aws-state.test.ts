import { CloudFormationClient, DescribeStacksCommand } from "@aws-sdk/client-cloudformation";
import { CloudWatchClient, DescribeAlarmsCommand, GetMetricDataCommand } from "@aws-sdk/client-cloudwatch";
import { DescribeKeyCommand, DisabledException, KMSClient } from "@aws-sdk/client-kms";
import { mockClient } from "aws-sdk-client-mock";
import { afterEach, expect, it } from "vitest";
import { readAwsState } from "../../../lib/tools/admin/status/aws-state.ts";

const now = new Date("2026-11-18T12:00:00.000Z");
const earlier = new Date("2026-11-17T10:00:00.000Z");
const clouds = [
  mockClient(CloudFormationClient),
  mockClient(CloudWatchClient),
  mockClient(KMSClient),
] as const;
const [cloudFormation, cloudWatch, kms] = clouds;
const readTerminal = () => readAwsState("TerminalData", "TerminalApi", "TerminalWatch", now);
afterEach(() => {
  for (const cloud of clouds) cloud.reset();
});

const queue = {
  Namespace: "AWS/SQS",
  MetricName: "Messages",
  Dimensions: [{ Name: "QueueName", Value: "failed" }],
};
const age = {
  Namespace: "AWS/Lambda",
  MetricName: "IteratorAge",
  Dimensions: [{ Name: "FunctionName", Value: "publishChanges" }],
};

function answer(values: Record<string, number[]>): void {
  cloudFormation.on(DescribeStacksCommand).callsFake(({ StackName }) => ({
    Stacks: [
      StackName === "TerminalApi"
        ? { StackStatus: "UPDATE_ROLLBACK_COMPLETE", CreationTime: earlier, LastUpdatedTime: now }
        : {
            StackStatus: "CREATE_COMPLETE",
            CreationTime: earlier,
            ...(StackName === "TerminalData" && { Outputs: [{ OutputKey: "KeyId", OutputValue: "key" }] }),
          },
    ],
  }));
  cloudWatch
    .on(DescribeAlarmsCommand, { AlarmNamePrefix: "TerminalWatch-", NextToken: undefined })
    .resolves({
      MetricAlarms: [
        { AlarmName: "TerminalWatch-AlarmsChangesGaveUp1A2B3C4D-xyz", StateValue: "OK", ...queue },
        { AlarmName: "TerminalWatch-AlarmspublishChangesLate1A2B3C4D-xyz", StateValue: "OK", ...age },
      ],
      NextToken: "more",
    })
    .on(DescribeAlarmsCommand, { AlarmNamePrefix: "TerminalWatch-", NextToken: "more" })
    .resolves({
      MetricAlarms: [
        {
          AlarmName: "TerminalWatch-AlarmsSignatureRefused1A2B3C4D-xyz",
          AlarmDescription: "The signer refused. Stop trading.",
          StateValue: "ALARM",
          StateTransitionedTimestamp: earlier,
          Namespace: "TerminalApi",
        },
      ],
    });
  cloudWatch.on(GetMetricDataCommand).resolves({
    MetricDataResults: Object.entries(values).map(([Id, Values]) => ({ Id, Values })),
  });
}

it("reads stacks, alarms of all pages, and what their queues and changes wait for", async () => {
  answer({ m0: [2, 0], m1: [1500] });
  kms
    .on(DescribeKeyCommand, { KeyId: "key" })
    .resolves({ KeyMetadata: { KeyId: "key", KeyState: "Enabled" } });
  expect(await readTerminal()).toEqual({
    deployed: [
      { name: "TerminalData", state: "CREATE_COMPLETE", at: earlier.toISOString(), isWrong: false },
      { name: "TerminalApi", state: "UPDATE_ROLLBACK_COMPLETE", at: now.toISOString(), isWrong: true },
      { name: "TerminalWatch", state: "CREATE_COMPLETE", at: earlier.toISOString(), isWrong: false },
    ],
    brokenKeys: [],
    alarms: 3,
    raised: [{ name: "SignatureRefused", since: earlier.toISOString(), words: "The signer refused." }],
    waiting: [
      { name: "failed", count: 2, unit: "messages", isWrong: true },
      { name: "publishChanges", count: 2, unit: "seconds", isWrong: false },
    ],
    broadcasts: new Map(),
  });
});

it("reads how long orders of each chain took on this day until their broadcast", async () => {
  answer({ base_p50: [231.4], base_p95: [420], sol_p50: [] });
  kms.on(DescribeKeyCommand).resolves({ KeyMetadata: { KeyId: "key", KeyState: "Enabled" } });
  const { broadcasts } = await readTerminal();
  expect([...broadcasts]).toEqual([["base", { p50Ms: 231.4, p95Ms: 420 }]]);
  const [{ input } = {}] = cloudWatch.commandCalls(GetMetricDataCommand).at(-1)?.args ?? [];
  expect(input).toMatchObject({ StartTime: new Date("2026-11-18T00:00:00.000Z"), EndTime: now });
  expect(input?.MetricDataQueries).toContainEqual({
    Id: "sol_p95",
    MetricStat: {
      Metric: {
        Namespace: "TerminalApi",
        MetricName: "TimeToBroadcast",
        Dimensions: [{ Name: "Chain", Value: "sol" }],
      },
      Period: 86_400,
      Stat: "p95",
    },
  });
});

it("finds a key that is disabled, will be deleted, or that the operator may not see", async () => {
  answer({});
  const brokenKeys = async () => (await readTerminal()).brokenKeys;
  kms.on(DescribeKeyCommand).resolves({ KeyMetadata: { KeyId: "key", KeyState: "Disabled" } });
  expect(await brokenKeys()).toEqual([{ id: "key", words: "its state is Disabled" }]);
  const waiting = { KeyId: "key", KeyState: "PendingDeletion", DeletionDate: now } as const;
  kms.on(DescribeKeyCommand).resolves({ KeyMetadata: waiting });
  expect(await brokenKeys()).toEqual([
    { id: "key", words: "its state is PendingDeletion until 2026-11-18T12:00:00.000Z" },
  ]);
  kms.on(DescribeKeyCommand).rejects(new DisabledException({ message: "no", $metadata: {} }));
  expect(await brokenKeys()).toEqual([{ id: "key", words: "its state cannot be read: DisabledException" }]);
});

it("finds nothing wrong without data, which idle queues and functions have", async () => {
  answer({});
  const { waiting } = await readTerminal();
  expect(waiting.map(({ count, isWrong }) => [count, isWrong])).toEqual([
    [undefined, false],
    [undefined, false],
  ]);
});
