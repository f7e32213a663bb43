import { expect } from "vitest";
import { readPointsLines } from "../../lib/rewards/points-records.ts";
import { redeem } from "../../lib/rewards/redeem.ts";
import type { Reward } from "../../lib/rewards/reward.ts";
import type { Table } from "../../lib/table/table.ts";
import { changeProfile, readOwnProfile } from "../../lib/users/profile-records.ts";
import { register } from "../../lib/users/register.ts";

export const reward = (id: string, rest: Partial<Reward> = {}): Reward => ({
  id,
  name: `The ${id}`,
  description: "Something good",
  type: "merchandise",
  cost: 100,
  available: true,
  imageUrl: `https://images.example/${id}.png`,
  stock: 5,
  ...rest,
});

/** Registers a user with points but no ledger. */
export async function userWith(table: Table, userID: string, points: number): Promise<string> {
  const profile = await register(table, { userID, names: [], ref: undefined }, new Date());
  await changeProfile(table, profile, { points });
  return userID;
}

/** Buys a reward from a catalogue. */
export const buying =
  (tableOf: () => Table, catalogue: readonly Reward[]) =>
  (userID: string, rewardId: string, key: string | undefined, now = new Date()) =>
    redeem({ table: tableOf(), catalogue: async () => catalogue }, { userID, rewardId, key, now });

export const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "done",
    (error) => error.code ?? String(error),
  );

/** Returns the user's points and the ledger's changes, oldest first. Checks that the changes add up to the points. */
export async function ledgerOf(table: Table, userID: string) {
  const [{ points }, lines] = [await readOwnProfile(table, userID), await readPointsLines(table, userID)];
  if (lines.length > 0) expect(lines.reduce((sum, { change }) => sum + change, 0)).toBe(points);
  return { points, lines: lines.map(({ reason, change }) => [reason, change]) };
}
