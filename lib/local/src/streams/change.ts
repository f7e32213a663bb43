import { createHash } from "node:crypto";
import type { GetRecordsCommandOutput } from "@aws-sdk/client-dynamodb-streams";
import { account } from "../account.ts";

export type StreamRecord = NonNullable<GetRecordsCommandOutput["Records"]>[number];

/** A record of a table's stream on its way to a function. */
export type Change = {
  sequenceNumber: string;
  /** Milliseconds since 1970. */
  createdAt: number;
  /** What the function is given of it. */
  event: object;
  /** Bytes of the event as JSON. */
  size: number;
  /** Some number that is the same for all changes of one partition of the table. */
  partition: number;
};

export type ChangeSource = {
  /** As the template knows it. */
  streamArn: string;
  /** Name of the attribute. */
  partitionKey: string;
};

/** DynamoDB Local tells the minute of a change and nothing finer. */
const PRECISION = 60_000;

/**
 * The record as Lambda hands it over: as JSON, bytes in base64.
 * https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html
 *
 * @param seenAt when it was read: it cannot be of later than that
 */
export function toChange(
  { dynamodb = {}, userIdentity, ...record }: StreamRecord,
  source: ChangeSource,
  seenAt: number,
): Change {
  const told = dynamodb.ApproximateCreationDateTime?.getTime() ?? seenAt;
  const createdAt = Math.max(told, Math.min(seenAt, told + PRECISION - 1));
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
    // Whose doing it was, when it was not a caller's: DynamoDB's own for an item that has expired.
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
    partition: hash(JSON.stringify(toJson(dynamodb.Keys?.[source.partitionKey]))),
  };
}

function keysAndImages(record: NonNullable<StreamRecord["dynamodb"]>) {
  const names = ["Keys", "NewImage", "OldImage"] as const;
  return Object.fromEntries(
    names.filter((name) => record[name] !== undefined).map((name) => [name, toJson(record[name])]),
  );
}

function toJson(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, toJson(each)]));
}

function hash(text = ""): number {
  return createHash("sha1").update(text).digest().readUInt32BE();
}
