import { describe, expect, test } from "vitest";
import { type StreamRecord, toChange } from "../../src/streams/change.ts";

const source = {
  streamArn: "arn:aws:dynamodb:us-east-1:000000000000:table/T/stream/local",
  partitionKey: "PK",
};
const minute = Date.UTC(2026, 0, 1, 12, 30);

const record: StreamRecord = {
  eventID: "e1",
  eventName: "MODIFY",
  eventVersion: "1.1",
  eventSource: "aws:dynamodb",
  awsRegion: "ddblocal",
  dynamodb: {
    ApproximateCreationDateTime: new Date(minute),
    Keys: { PK: { S: "USER#1" }, SK: { S: "WALLET#1" } },
    NewImage: {
      PK: { S: "USER#1" },
      sealed: { B: new Uint8Array([1, 2, 255]) },
      several: { BS: [new Uint8Array([0])] },
      nested: { M: { list: { L: [{ B: new Uint8Array([7]) }, { N: "1" }, { NULL: true }] } } },
    },
    OldImage: { PK: { S: "USER#1" } },
    SequenceNumber: "000000000000000000007",
    SizeBytes: 44,
    StreamViewType: "NEW_AND_OLD_IMAGES",
  },
};

test("a record has the form that Lambda gives it", () => {
  const { event, sequenceNumber, size } = toChange(record, source, minute + 12_345);
  expect(event).toEqual({
    eventID: "e1",
    eventName: "MODIFY",
    eventVersion: "1.1",
    eventSource: "aws:dynamodb",
    awsRegion: "us-east-1",
    dynamodb: {
      ApproximateCreationDateTime: minute / 1000 + 12,
      Keys: { PK: { S: "USER#1" }, SK: { S: "WALLET#1" } },
      NewImage: {
        PK: { S: "USER#1" },
        sealed: { B: "AQL/" },
        several: { BS: ["AA=="] },
        nested: { M: { list: { L: [{ B: "Bw==" }, { N: "1" }, { NULL: true }] } } },
      },
      OldImage: { PK: { S: "USER#1" } },
      SequenceNumber: "000000000000000000007",
      SizeBytes: 44,
      StreamViewType: "NEW_AND_OLD_IMAGES",
    },
    eventSourceARN: source.streamArn,
  });
  expect(sequenceNumber).toBe("000000000000000000007");
  expect(size).toBe(Buffer.byteLength(JSON.stringify(event)));
});

test("an image that a record does not have is not there", () => {
  const { OldImage: _, ...inserted } = record.dynamodb ?? {};
  const { event } = toChange({ ...record, eventName: "INSERT", dynamodb: inserted }, source, minute);
  expect(Object.keys((event as { dynamodb: object }).dynamodb)).not.toContain("OldImage");
  expect(event).not.toHaveProperty("userIdentity");
});

test("what DynamoDB itself has deleted says so", () => {
  const userIdentity = { Type: "Service", PrincipalId: "dynamodb.amazonaws.com" };
  expect(toChange({ ...record, userIdentity }, source, minute).event).toMatchObject({
    userIdentity: { type: "Service", principalId: "dynamodb.amazonaws.com" },
  });
});

describe("the moment of a change, of which only the minute is told", () => {
  test.each([
    ["is when it was read, within that minute", 12_345, 12_345],
    ["is no later than that minute", 600_000, 59_999],
    ["is no earlier than that minute, whatever the clocks say", -5_000, 0],
  ])("%s", (_, seen, expected) => {
    expect(toChange(record, source, minute + seen).createdAt).toBe(minute + expected);
  });
});

test("changes of one partition have the same number, whatever their sort key", () => {
  const partition = (PK: string, SK: string) =>
    toChange(
      { ...record, dynamodb: { ...record.dynamodb, Keys: { PK: { S: PK }, SK: { S: SK } } } },
      source,
      minute,
    ).partition;
  expect(partition("USER#1", "A")).toBe(partition("USER#1", "B"));
  const lanes = new Set(Array.from({ length: 50 }, (_, n) => partition(`USER#${n}`, "A") % 10));
  expect(lanes.size).toBe(10);
});
