import { describe, expect, it } from "vitest";
import * as keys from "../../lib/aws/table-keys.ts";
import { logicalIdOf, only, synthesize } from "./synthesized.ts";

const { api } = synthesize();
const queue = only(api, "AWS::SQS::Queue");

type Pattern = { eventName: string[]; dynamodb: { Keys: { SK: { S: { prefix: string }[] } } } };
type MappingProperties = { FilterCriteria: { Filters: { Pattern: string }[] } };
const mapping = only<MappingProperties>(api, "AWS::Lambda::EventSourceMapping").Properties;
const patterns = mapping.FilterCriteria.Filters.map(({ Pattern }): Pattern => JSON.parse(Pattern));

/** As Lambda matches: any of the filters, and in each field any of its alternatives. */
const isPublished = (eventName: string, { SK }: keys.Key) =>
  patterns.some(
    ({ eventName: events, dynamodb }) =>
      events.includes(eventName) && dynamodb.Keys.SK.S.some(({ prefix }) => SK.startsWith(prefix)),
  );

describe("the table's changes", () => {
  it("are brought to publishChanges from the first one on, and never hold each other up for long", () => {
    expect(mapping).toEqual({
      BatchSize: 100,
      BisectBatchOnFunctionError: true,
      DestinationConfig: { OnFailure: { Destination: { "Fn::GetAtt": [queue.id, "Arn"] } } },
      EventSourceArn: { "Fn::ImportValue": expect.stringMatching(/GetAttTable[0-9A-F]{8}StreamArn/) },
      FilterCriteria: { Filters: [{ Pattern: expect.any(String) }] },
      FunctionName: { Ref: logicalIdOf(api, "publishChanges") },
      FunctionResponseTypes: ["ReportBatchItemFailures"],
      MaximumRecordAgeInSeconds: 3600,
      MaximumRetryAttempts: 5,
      ParallelizationFactor: 10,
      StartingPosition: "TRIM_HORIZON",
    });
  });

  it("are those of the sort keys that are published, when they are written", () => {
    const SK = { S: keys.publishedSortKeys.map((prefix) => ({ prefix })) };
    expect(patterns).toEqual([{ eventName: ["INSERT", "MODIFY"], dynamodb: { Keys: { SK } } }]);
  });

  it.each([
    ["settings", keys.settingsKey("alice", "sol")],
    ["an order", keys.executionKey("alice", "order", "1")],
    ["a position", keys.executionKey("alice", "position", "1")],
    ["the prices", keys.pricesKey],
  ])("bring %s, unless they are deleted", (_, key) => {
    expect(isPublished("INSERT", key)).toBe(true);
    expect(isPublished("MODIFY", key)).toBe(true);
    expect(isPublished("REMOVE", key)).toBe(false);
  });

  it.each([
    ["a profile", keys.profileKey("alice")],
    ["a wallet", keys.walletKey("alice", "eth", "0x1")],
    ["a referral", keys.referralKey("alice", new Date(), "bob")],
    ["a referral code", keys.referralCodeKey("CODE")],
    ["a connection", keys.connectionKey("alice", "1")],
    ["a subscriber", keys.subscriberKey("prices", 0, "1")],
    ["the catalogue", keys.catalogueKey],
  ])("do not bring %s", (_, key) => {
    expect(isPublished("INSERT", key)).toBe(false);
  });

  it("that are given up are noted for two weeks, encrypted and over TLS only", () => {
    expect(queue.Properties).toEqual({ MessageRetentionPeriod: 14 * 24 * 3600, SqsManagedSseEnabled: true });
    const policy = only<{ PolicyDocument: unknown; Queues: unknown }>(api, "AWS::SQS::QueuePolicy");
    expect(policy.Properties).toEqual({
      Queues: [{ Ref: queue.id }],
      PolicyDocument: {
        Version: "2012-10-17",
        Statement: [
          {
            Effect: "Deny",
            Principal: { AWS: "*" },
            Action: "sqs:*",
            Resource: { "Fn::GetAtt": [queue.id, "Arn"] },
            Condition: { Bool: { "aws:SecureTransport": "false" } },
          },
        ],
      },
    });
  });
});
