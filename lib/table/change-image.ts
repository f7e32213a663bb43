import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { DynamoDBRecord } from "aws-lambda";
import { readNumbers } from "./table.ts";

/** Returns the item before or after a change of the table, or its key, or undefined if there was none. */
export function imageIn<Content>(
  { dynamodb }: DynamoDBRecord,
  which: "OldImage" | "NewImage" | "Keys",
): Content | undefined {
  // Casts between the event's type and the SDK's type, which are identical except for their names.
  const attributes = dynamodb?.[which] as Parameters<typeof unmarshall>[0] | undefined;
  return attributes && (unmarshall(attributes, readNumbers) as Content);
}
