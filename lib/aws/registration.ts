import { randomUUID } from "node:crypto";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { newProfile, type Profile, usernameOf } from "../domain/profile.ts";
import { newReferralCode, readReferralCode } from "../domain/referral-code.ts";
import { readProfile, recordVisit } from "./profile-records.ts";
import type { Table } from "./table.ts";
import { profileKey, referralCodeKey, referralKey } from "./table-keys.ts";
import { transact, type Writes } from "./transaction.ts";

/** Who signs in for the first time, as the token says it. */
export type NewUser = {
  userID: string;
  /** Candidates for the username, best first. */
  names: readonly unknown[];
  /** The referral code of whoever brought them. */
  ref: unknown;
};

/** How old a visit may be before the next one is noted, in milliseconds. */
const visitResolution = 60 * 60 * 1000;

/**
 * Lets a user in: makes their profile at first sight, and notes the visit, once an hour at most.
 *
 * @returns the profile as it was before the visit.
 */
export async function admitUser(table: Table, user: NewUser, now: Date): Promise<Profile> {
  const profile = (await readProfile(table, user.userID)) ?? (await register(table, user, now));
  const age = now.getTime() - Date.parse(profile.lastVisited);
  if (age > visitResolution) await recordVisit(table, user.userID, now);
  return profile;
}

/**
 * Creates a user's profile, with a referral code that nobody else has. Whoever's code the user brings is credited in the
 * same transaction: once, since a profile is made once, and never oneself, since a new user has no code yet.
 *
 * @returns the profile, whoever made it first.
 */
export async function register(table: Table, user: NewUser, now: Date): Promise<Profile> {
  // Refused for one of three reasons, and each is another matter the next time: the profile exists by now, the code
  // was somebody's, the referrer has gone.
  for (let attempt = 1; attempt <= 5; attempt++) {
    const referrer = await referrerOf(table, user.ref);
    const profile = profileOf(user, referrer, now);
    const refused = await transact(table, [
      putNew(table, { ...profileKey(user.userID), ...profile }),
      putNew(table, { ...referralCodeKey(profile.refID), userID: user.userID }),
      ...(referrer === undefined ? [] : credit(table, referrer, profile, now)),
    ]);
    if (refused === undefined) return profile;
    const existing = await readProfile(table, user.userID);
    if (existing !== undefined) return existing;
  }
  throw new Error("The profile could not be created");
}

function profileOf(user: NewUser, referrer: Profile | undefined, now: Date): Profile {
  const refID = newReferralCode();
  const username = usernameOf(user.names, refID);
  const profile = newProfile({ _id: randomUUID(), userID: user.userID, username, refID, now });
  return referrer === undefined ? profile : { ...profile, referredBy: referrer.username };
}

/** Who owns a referral code; undefined for a code that nobody has, which costs its bearer nothing. */
async function referrerOf(table: Table, ref: unknown): Promise<Profile | undefined> {
  const code = typeof ref === "string" ? readReferralCode(ref) : undefined;
  if (code === undefined) return undefined;
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: referralCodeKey(code) }),
  );
  return Item === undefined ? undefined : readProfile(table, Item.userID);
}

function credit(
  table: Table,
  referrer: Profile,
  { userID, username, createdAt }: Profile,
  now: Date,
): Writes {
  return [
    {
      Update: {
        TableName: table.name,
        Key: profileKey(referrer.userID),
        UpdateExpression: "ADD usersReferred :one",
        ConditionExpression: "attribute_exists(PK)",
        ExpressionAttributeValues: { ":one": 1 },
      },
    },
    putNew(table, { ...referralKey(referrer.userID, now, userID), username, joinedAt: createdAt }),
  ];
}

function putNew(table: Table, Item: Record<string, unknown>): Writes[number] {
  return { Put: { TableName: table.name, Item, ConditionExpression: "attribute_not_exists(PK)" } };
}
