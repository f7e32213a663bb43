import { TooManyRequestsException } from "@aws-sdk/client-api-gateway";
import type { DynamoDBRecord } from "aws-lambda";
import { imageIn } from "../aws/change-image.ts";
import { LimitReached } from "../aws/usage-plans.ts";
import type { Profile } from "../domain/profile.ts";
import { type Mirror, mirrorUser } from "./mirror.ts";

/**
 * Mirrors the users whose profiles have changed, one after the other: the control plane takes few calls a second.
 *
 * @param onFault hears of each that could not be mirrored.
 * @returns the sequence numbers of the records that have to come again; everything from the first of them on will.
 */
export async function mirrorChanges(
  mirror: Mirror,
  records: readonly DynamoDBRecord[],
  onFault: (error: unknown) => void,
): Promise<string[]> {
  const failed: string[] = [];
  const byUser = Map.groupBy(records.filter(matters), (record) => imagesOf(record).userID);
  for (const [userID, changes] of byUser) {
    try {
      if (userID !== undefined) await mirrorUser(mirror, userID);
    } catch (error) {
      onFault(error);
      // There will be no more room in a moment; the user's next visit is the next try.
      if (error instanceof LimitReached) continue;
      failed.push(...changes.flatMap(({ dynamodb }) => dynamodb?.SequenceNumber ?? []));
      // The others would wait as long, and in vain.
      if (error instanceof TooManyRequestsException) break;
    }
  }
  return failed;
}

/** Of the many changes of a profile these concern its key: another plan, and a visit, since idle users lose theirs. */
function matters(record: DynamoDBRecord): boolean {
  const { before, after } = imagesOf(record);
  if (before === undefined || after === undefined) return true;
  const concerned = ["tier", "requestsPerMinute", "lastVisited"] as const;
  return concerned.some((name) => before[name] !== after[name]);
}

function imagesOf(record: DynamoDBRecord) {
  const before = imageIn<Profile>(record, "OldImage");
  const after = imageIn<Profile>(record, "NewImage");
  return { before, after, userID: (after ?? before)?.userID };
}
