import { expect, it } from "vitest";
import { listRedemptions } from "../../lib/rewards/list-redemptions.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { buying, codeOf, reward, userWith } from "../support/rewards.ts";

const db = tableForTests();

it("lists a user's purchases page by page, newest first", async () => {
  const catalogue = ["a", "b", "c"].map((id) => reward(id));
  const buy = buying(() => db.table, catalogue);
  for (const userID of ["ann", "bob"]) await userWith(db.table, userID, 1000);
  for (const [index, { id }] of catalogue.entries()) await buy("ann", id, `k${index}`, new Date(index));
  await buy("bob", "a", "k", new Date());

  const page = async (cursor?: string) => {
    const { redemptions, ...rest } = await listRedemptions(db.table, "ann", { limit: "2", cursor });
    return { ids: redemptions.map(({ rewardId }) => rewardId), ...rest };
  };
  const first = await page();
  expect(first).toEqual({ ids: ["c", "b"], points: 700, cursor: expect.any(String) });
  expect(await page(first.cursor)).toEqual({ ids: ["a"], points: 700 });
  const ofBob = listRedemptions(db.table, "bob", { limit: "2", cursor: first.cursor });
  expect(await codeOf(ofBob)).toBe("INVALID_REQUEST");
});
