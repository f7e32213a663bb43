import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { DynamoDBRecord } from "aws-lambda";

/** An item as it was before a change, or after it, as the table's stream tells it; undefined when there was none. */
export function imageIn<Content>(
  { dynamodb }: DynamoDBRecord,
  which: "OldImage" | "NewImage",
): Content | undefined {
  // The types of the event and of the SDK are the same but for their names.
  const attributes = dynamodb?.[which] as Parameters<typeof unmarshall>[0] | undefined;
  return attributes && (unmarshall(attributes) as Content);
}
