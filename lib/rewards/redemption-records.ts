import { getItems } from "../table/batch-get.ts";
import type { Step, Write } from "../table/step.ts";
import { type PageOptions, queryPage, readItem, type Table } from "../table/table.ts";
import { profileKey } from "../users/item-keys.ts";
import type { Profile } from "../users/profile.ts";
import { redemptionKey, redemptionPlaceKey, redemptionsOf, stockKey } from "./item-keys.ts";
import type { Redemption } from "./redemption.ts";

/** Fields that determine the key of a redemption. */
type Place = Pick<Redemption, "redemptionId" | "userID" | "createdAt">;

const keyOf = ({ redemptionId, userID, createdAt }: Place) =>
  redemptionKey(userID, new Date(createdAt), redemptionId);

export async function readRedemption(table: Table, redemptionId: string): Promise<Redemption | undefined> {
  const place = await readItem<Place>(table, redemptionPlaceKey(redemptionId));
  return place && readItem<Redemption>(table, keyOf(place));
}

/**
 * Reads everything that decides about a purchase in one call: the user's profile, the stock if it is counted, and the
 * redemption if it exists.
 */
export async function readPurchase(
  table: Table,
  { userID, rewardId, redemptionId }: Pick<Redemption, "userID" | "rewardId" | "redemptionId">,
): Promise<{ profile: Profile | undefined; stock: number | undefined; isMade: boolean }> {
  const keys = [profileKey(userID), stockKey(rewardId), redemptionPlaceKey(redemptionId)] as const;
  const items = await getItems<{ stock?: number }>(table, keys);
  const [profile, stock, place] = keys.map(({ PK }) => items.find((item) => item.PK === PK));
  return { profile: profile as Profile | undefined, stock: stock?.stock, isMade: place !== undefined };
}

/** Builds the writes that add a redemption. They fail if its id is taken. */
export const addingRedemption = (redemption: Redemption): Step => {
  const { redemptionId, userID, createdAt } = redemption;
  return [
    {
      kind: "put",
      key: redemptionPlaceKey(redemptionId),
      item: { redemptionId, userID, createdAt },
      when: "absent",
    },
    { kind: "put", key: keyOf(redemption), item: redemption, when: "absent" },
  ];
};

/** Builds the write that changes a redemption. It fails if the redemption has changed since it was read. */
export const changingRedemption = (read: Redemption, { status, updatedAt, version }: Redemption): Write => ({
  kind: "change",
  key: keyOf(read),
  set: { status, updatedAt, version },
  when: { version: read.version },
});

/** Reads a page of a user's redemptions, newest first. */
export async function readRedemptions(
  table: Table,
  userID: string,
  options: PageOptions,
): Promise<{ redemptions: Redemption[]; end?: string }> {
  const { items: redemptions, ...page } = await queryPage<Redemption>(table, redemptionsOf(userID), options);
  return { redemptions, ...page };
}
