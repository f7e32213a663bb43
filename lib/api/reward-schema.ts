import * as v from "valibot";
import { rewardTypes } from "../domain/reward.ts";
import { Count } from "./scalars.ts";

const text = v.pipe(v.string(), v.minLength(1), v.maxLength(1000));

/** A reward as an operator describes it. */
export const RewardInput = v.strictObject({
  id: v.pipe(v.string(), v.regex(/^[A-Za-z0-9._-]{1,64}$/)),
  name: text,
  description: text,
  type: v.picklist(rewardTypes),
  cost: Count,
  available: v.boolean(),
  imageUrl: v.pipe(v.string(), v.url(), v.startsWith("https://")),
  stock: v.pipe(v.number(), v.integer(), v.minValue(-1), v.description("-1 means without limit")),
});

/** The whole catalogue, in the order in which it is shown. */
export const Catalogue = v.pipe(
  v.array(RewardInput),
  v.check(
    (rewards) => new Set(rewards.map(({ id }) => id)).size === rewards.length,
    "two rewards have the same id",
  ),
);

export const Reward = v.pipe(
  v.object({ ...RewardInput.entries, userCanAfford: v.boolean() }),
  v.title("Reward"),
);

/** The rewards endpoint's own envelope: no timestamp. */
export const RewardList = v.pipe(
  v.object({ success: v.literal(true), data: v.object({ rewards: v.array(Reward) }) }),
  v.title("RewardList"),
);
