import { describe, expect, it } from "vitest";
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
    Keys: { PK: { S: "USER#1" }, SK: { S: "ITEM#1" } },
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

describe("toChange", () => {
  it("converts a record to Lambda's form", () => {
    const { event, sequenceNumber, size } = toChange(record, source, minute + 12_345);
    expect(event).toEqual({
      eventID: "e1",
      eventName: "MODIFY",
      eventVersion: "1.1",
      eventSource: "aws:dynamodb",
      awsRegion: "us-east-1",
      dynamodb: {
        ApproximateCreationDateTime: minute / 1000 + 12,
        Keys: { PK: { S: "USER#1" }, SK: { S: "ITEM#1" } },
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

  it("puts empty maps back, which DynamoDB Local leaves out", () => {
    const NewImage = { PK: { S: "USER#1" }, empty: {}, nested: { M: { list: { L: [{}] } } } };
    const sent = { ...record, dynamodb: { ...record.dynamodb, NewImage } } as unknown as StreamRecord;
    expect(toChange(sent, source, minute).event).toMatchObject({
      dynamodb: { NewImage: { empty: { M: {} }, nested: { M: { list: { L: [{ M: {} }] } } } } },
    });
  });

  it("omits an image that the record does not have", () => {
    const { OldImage: _, ...inserted } = record.dynamodb ?? {};
    const { event } = toChange({ ...record, eventName: "INSERT", dynamodb: inserted }, source, minute);
    expect(Object.keys((event as { dynamodb: object }).dynamodb)).not.toContain("OldImage");
    expect(event).not.toHaveProperty("userIdentity");
  });

  it("marks a deletion by DynamoDB itself", () => {
    const userIdentity = { Type: "Service", PrincipalId: "dynamodb.amazonaws.com" };
    expect(toChange({ ...record, userIdentity }, source, minute).event).toMatchObject({
      userIdentity: { type: "Service", principalId: "dynamodb.amazonaws.com" },
    });
  });

  it.each([
    ["the time of reading, within that minute", 12_345, 12_345],
    ["the end of that minute at the latest", 600_000, 59_999],
    ["the start of that minute at the earliest", -5_000, 0],
  ])("estimates the time of a change, known to the minute, as %s", (_, seen, expected) => {
    expect(toChange(record, source, minute + seen).createdAt).toBe(minute + expected);
  });

  it("gives changes with the same partition key the same number, regardless of their sort key", () => {
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
});
