import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { Write } from "../table/step.ts";
import { queryPages, type Table } from "../table/table.ts";
import { write } from "../table/write.ts";
import {
  everyPendingReferral,
  pendingReferralKey,
  profileKey,
  referralCodeKey,
  referralKey,
} from "./item-keys.ts";

/**
 * A referral whose referrer may not be credited yet. It is written together with the new user's profile. The referrer's
 * profile is written later; otherwise all sign-ups with the same code would have to wait for each other.
 */
export type PendingReferral = {
  referrerId: string;
  /** Id of the new user. */
  userID: string;
  username: string;
  /** Time of the sign-up, ISO 8601. */
  joinedAt: string;
};

/** Finds the owner of a referral code. */
export async function userIDOfReferralCode(table: Table, code: string): Promise<string | undefined> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: referralCodeKey(code) }),
  );
  return Item?.userID;
}

export const recordingReferral = (referral: PendingReferral): Write => ({
  kind: "put",
  key: pendingReferralKey(referral.joinedAt, referral.userID),
  item: referral,
  when: "absent",
});

/**
 * Credits the referrer and lists the referral in one transaction. The listed referral prevents a second credit.
 *
 * @returns false, without writing, if the referrer was credited before or has no profile.
 */
export async function creditReferral(
  table: Table,
  { referrerId, userID, username, joinedAt }: PendingReferral,
  options?: { attempts: number },
): Promise<boolean> {
  const listed = referralKey(referrerId, new Date(joinedAt), userID);
  return write(
    table,
    [
      { kind: "put", key: listed, item: { username, joinedAt }, when: "absent" },
      { kind: "change", key: profileKey(referrerId), add: { usersReferred: 1 }, when: "present" },
    ],
    options,
  );
}

/** Reads all pending referrals, oldest first, page by page. */
export async function* pendingReferrals(table: Table): AsyncGenerator<PendingReferral> {
  for await (const page of queryPages<PendingReferral>(table, everyPendingReferral)) yield* page;
}

/** Deletes a pending referral. Must be called after {@link creditReferral}. */
export async function forgetPendingReferral(
  table: Table,
  { joinedAt, userID }: PendingReferral,
): Promise<void> {
  await write(table, { kind: "remove", key: pendingReferralKey(joinedAt, userID) });
}
