import { createHash } from "node:crypto";
import type { AttributeValue, GetRecordsCommandOutput } from "@aws-sdk/client-dynamodb-streams";
import { account } from "../account.ts";

export type StreamRecord = NonNullable<GetRecordsCommandOutput["Records"]>[number];

/** A record of a table's stream, converted for functions. */
export type Change = {
  sequenceNumber: string;
  /** Time in milliseconds since 1970. */
  createdAt: number;
  /** Record in Lambda's form. */
  event: object;
  /** Size of the event as JSON, in bytes. */
  size: number;
  /** A number shared by all changes with the same partition key. */
  partition: number;
};

export type ChangeSource = {
  /** ARN of the stream in the template. */
  streamArn: string;
  /** Name of the partition key's attribute. */
  partitionKey: string;
};

/** DynamoDB Local rounds the time of a change down to the minute. */
const PRECISION_MS = 60_000;

/**
 * Converts a record to Lambda's form: JSON, with bytes in base64.
 * https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html
 *
 * @param seenAt when the record was read, the latest possible time of the change
 */
export function toChange(
  { dynamodb = {}, userIdentity, ...record }: StreamRecord,
  source: ChangeSource,
  seenAt: number,
): Change {
  const minute = dynamodb.ApproximateCreationDateTime?.getTime() ?? seenAt;
  const createdAt = Math.max(minute, Math.min(seenAt, minute + PRECISION_MS - 1));
  const partition = dynamodb.Keys?.[source.partitionKey];
  const sequenceNumber = dynamodb.SequenceNumber ?? "";
  const event = {
    eventID: record.eventID,
    eventName: record.eventName,
    eventVersion: record.eventVersion,
    eventSource: record.eventSource,
    awsRegion: account.region,
    dynamodb: {
      ApproximateCreationDateTime: Math.floor(createdAt / 1000),
      ...keysAndImages(dynamodb),
      SequenceNumber: sequenceNumber,
      SizeBytes: dynamodb.SizeBytes,
      StreamViewType: dynamodb.StreamViewType,
    },
    // Present if DynamoDB itself made the change, for example by deleting an expired item.
    ...(userIdentity && {
      userIdentity: { type: userIdentity.Type, principalId: userIdentity.PrincipalId },
    }),
    eventSourceARN: source.streamArn,
  };
  return {
    sequenceNumber,
    createdAt,
    event,
    size: Buffer.byteLength(JSON.stringify(event)),
    partition: hash(JSON.stringify(partition && toJson(partition))),
  };
}

function keysAndImages(record: NonNullable<StreamRecord["dynamodb"]>) {
  const names = ["Keys", "NewImage", "OldImage"] as const;
  return Object.fromEntries(
    names.filter((name) => record[name] !== undefined).map((name) => [name, itemToJson(record[name])]),
  );
}

function itemToJson(item: Readonly<Record<string, AttributeValue>> = {}): object {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, toJson(value)]));
}

function toJson(value: AttributeValue): object {
  const { M, L, B, BS } = value;
  if (M !== undefined) return { M: itemToJson(M) };
  if (L !== undefined) return { L: L.map(toJson) };
  if (B !== undefined) return { B: base64(B) };
  if (BS !== undefined) return { BS: BS.map(base64) };
  // DynamoDB Local leaves out the type of an empty map.
  return Object.values(value).some((each) => each !== undefined) ? value : { M: {} };
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");

function hash(text = ""): number {
  return createHash("sha1").update(text).digest().readUInt32BE();
}
