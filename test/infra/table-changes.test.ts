import { describe, expect, it } from "vitest";
import * as planKeys from "../../lib/plans/item-keys.ts";
import { pricesKey } from "../../lib/prices/item-keys.ts";
import * as realtimeKeys from "../../lib/realtime/item-keys.ts";
import * as rewardKeys from "../../lib/rewards/item-keys.ts";
import { catalogueKey, pointsLineKey, redemptionPlaceKey, stockKey } from "../../lib/rewards/item-keys.ts";
import { type Key, sortKeysSentTo } from "../../lib/table/keys.ts";
import { walletKey } from "../../lib/table/wallet-keys.ts";
import * as tradingKeys from "../../lib/trading/items/keys.ts";
import * as userKeys from "../../lib/users/item-keys.ts";
import * as walletKeys from "../../lib/wallets/item-keys.ts";
import { logicalIdOf, propertiesOf, resourcesOf, synthesize } from "./synthesized.ts";

const { api } = synthesize();
/** Finds a resource of the queue of failed changes. Another queue has the notices about keys. */
function ofFailedChanges<Properties>(type: string) {
  const all = Object.entries(resourcesOf<Properties>(api, type));
  const found = all.find(([id]) => id.startsWith("ChangesFailed"));
  if (found === undefined) throw new Error(`The failed changes have no ${type}`);
  return { id: found[0], ...found[1] };
}

const queue = ofFailedChanges("AWS::SQS::Queue");

type Pattern = {
  eventName?: string[];
  dynamodb: { Keys: { SK: { S: (string | { prefix: string })[] } } };
};
type MappingProperties = {
  FilterCriteria: { Filters: { Pattern: string }[] };
  FunctionName: { Ref: string };
};

function mappingOf(name: string): MappingProperties {
  const all = propertiesOf<MappingProperties>(api, "AWS::Lambda::EventSourceMapping");
  const [mapping, ...others] = all.filter(({ FunctionName }) => FunctionName.Ref === logicalIdOf(api, name));
  if (mapping === undefined || others.length > 0) throw new Error(`${name} has not one mapping`);
  return mapping;
}

const patternsOf = (name: string) =>
  mappingOf(name).FilterCriteria.Filters.map(({ Pattern }): Pattern => JSON.parse(Pattern));

/** Matches like Lambda: one filter must match, and in each field one of its alternatives. */
const reaches = (name: string, eventName: string, { SK }: Key) =>
  patternsOf(name).some(
    ({ eventName: events = [eventName], dynamodb }) =>
      events.includes(eventName) &&
      dynamodb.Keys.SK.S.some((wanted) =>
        typeof wanted === "string" ? SK === wanted : SK.startsWith(wanted.prefix),
      ),
  );
const isPublished = (eventName: string, key: Key) => reaches("publishChanges", eventName, key);
const isMirrored = (eventName: string, key: Key) => reaches("mirrorPlans", eventName, key);

/** Properties that all mappings share. */
const common = (name: string) => ({
  BisectBatchOnFunctionError: true,
  DestinationConfig: { OnFailure: { Destination: { "Fn::GetAtt": [queue.id, "Arn"] } } },
  EventSourceArn: { "Fn::ImportValue": expect.stringMatching(/GetAttTable[0-9A-F]{8}StreamArn/) },
  FilterCriteria: { Filters: [{ Pattern: expect.any(String) }] },
  FunctionName: { Ref: logicalIdOf(api, name) },
  FunctionResponseTypes: ["ReportBatchItemFailures"],
  StartingPosition: "TRIM_HORIZON",
});

describe("the table's changes", () => {
  it("invokes publishChanges in parallel batches, with few retries", () => {
    expect(mappingOf("publishChanges")).toEqual({
      ...common("publishChanges"),
      BatchSize: 100,
      MaximumRecordAgeInSeconds: 3600,
      MaximumRetryAttempts: 5,
      ParallelizationFactor: 10,
    });
  });

  it("invokes mirrorPlans in small batches, with ten retries", () => {
    expect(mappingOf("mirrorPlans")).toEqual({
      ...common("mirrorPlans"),
      BatchSize: 20,
      MaximumRecordAgeInSeconds: 6 * 3600,
      MaximumRetryAttempts: 10,
      ParallelizationFactor: 1,
    });
  });

  it("publishes only sort keys of published items, and no deletions", () => {
    const SK = { S: sortKeysSentTo("its user", "subscribers").map((prefix) => ({ prefix })) };
    expect(patternsOf("publishChanges")).toEqual([
      { eventName: ["INSERT", "MODIFY"], dynamodb: { Keys: { SK } } },
    ]);
  });

  it.each([
    ["settings", userKeys.settingsKey("alice", "sol")],
    ["a wallet", walletKey("alice", "eth", "0x1")],
    ["an order", tradingKeys.executionKey("alice", "order", "1")],
    ["a position", tradingKeys.executionKey("alice", "position", "1")],
    ["a redemption", rewardKeys.redemptionKey("alice", new Date(), "1")],
    ["the prices", pricesKey],
  ])("publishes %s, unless deleted", (_, key) => {
    expect(isPublished("INSERT", key)).toBe(true);
    expect(isPublished("MODIFY", key)).toBe(true);
    expect(isPublished("REMOVE", key)).toBe(false);
  });

  it.each([
    ["a profile", userKeys.profileKey("alice")],
    ["a wallet's event", walletKeys.walletEventKey("alice", "w1", new Date(), "e1")],
    ["a referral", userKeys.referralKey("alice", new Date(), "bob")],
    ["a referral code", userKeys.referralCodeKey("CODE")],
    ["a connection", realtimeKeys.connectionKey("alice", "1")],
    ["a subscriber", realtimeKeys.subscriberKey("prices", 0, "1")],
    ["the catalogue", catalogueKey],
    ["a stock", stockKey("mug")],
    ["the place of a redemption", redemptionPlaceKey("1")],
    ["a line of points", pointsLineKey("alice", 1)],
    ["a user's key", planKeys.userKeyRecordKey("alice")],
    ["a retired key", planKeys.retiredKeyKey(new Date(), "alice/1")],
  ])("does not publish %s", (_, key) => {
    expect(isPublished("INSERT", key)).toBe(false);
  });

  it.each(["INSERT", "MODIFY", "REMOVE"])("mirrors the %s of a profile, and no other item", (eventName) => {
    expect(isMirrored(eventName, userKeys.profileKey("alice"))).toBe(true);
    for (const key of [
      userKeys.settingsKey("alice", "sol"),
      userKeys.referralKey("alice", new Date(), "bob"),
      planKeys.userKeyRecordKey("alice"),
      planKeys.retiredKeyKey(new Date(), "alice/1"),
      walletKey("alice", "eth", "0x1"),
    ])
      expect(isMirrored(eventName, key)).toBe(false);
  });

  it("keeps changes that Lambda gave up on for two weeks, in an encrypted queue that accepts only TLS", () => {
    expect(queue.Properties).toEqual({ MessageRetentionPeriod: 14 * 24 * 3600, SqsManagedSseEnabled: true });
    const policy = ofFailedChanges("AWS::SQS::QueuePolicy");
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
