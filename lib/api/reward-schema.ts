import * as v from "valibot";
import { maxPoints } from "../rewards/points.ts";
import { rewardTypes } from "../rewards/reward.ts";
import { windowNames } from "../users/experience.ts";
import { CountSchema } from "./scalars.ts";

const text = v.pipe(v.string(), v.minLength(1), v.maxLength(1000));

/** A reward as operators write it. */
export const RewardInputSchema = v.strictObject({
  id: v.pipe(v.string(), v.regex(/^[A-Za-z0-9._-]{1,64}$/)),
  name: text,
  description: text,
  type: v.picklist(rewardTypes),
  cost: CountSchema,
  available: v.boolean(),
  imageUrl: v.pipe(v.string(), v.url(), v.startsWith("https://")),
  stock: v.pipe(v.number(), v.integer(), v.minValue(-1), v.description("-1 means unlimited")),
});

/** Catalogue of all rewards, in display order. */
export const CatalogueSchema = v.pipe(
  v.array(
    v.strictObject({
      ...RewardInputSchema.entries,
      // Limits prices only in new catalogues, so that older catalogues can still be shown.
      cost: v.pipe(CountSchema, v.maxValue(maxPoints)),
    }),
  ),
  v.check(
    (rewards) => new Set(rewards.map(({ id }) => id)).size === rewards.length,
    "two rewards have the same id",
  ),
);

export const RewardSchema = v.pipe(
  v.object({ ...RewardInputSchema.entries, userCanAfford: v.boolean() }),
  v.title("Reward"),
);

/** Envelope of the rewards endpoint, the only one without a timestamp. */
export const RewardListSchema = v.pipe(
  v.object({ success: v.literal(true), data: v.object({ rewards: v.array(RewardSchema) }) }),
  v.title("RewardList"),
);

export const LeaderboardSchema = v.pipe(
  v.object({
    window: v.picklist(windowNames),
    start: v.pipe(v.string(), v.isoDate(), v.description("First day of the period, in UTC")),
    publicName: v.pipe(
      v.nullable(v.string()),
      v.description("The caller's own public name, whether listed or not. Null if none is chosen."),
    ),
    entries: v.pipe(
      v.array(
        v.object({
          rank: v.pipe(v.number(), v.integer(), v.minValue(1)),
          publicName: v.string(),
          xp: CountSchema,
          Level: v.pipe(v.number(), v.integer(), v.minValue(1)),
          isYou: v.exactOptional(v.literal(true)),
        }),
      ),
      v.description("At most 100, those with the most XP first. Users with the same XP share a rank."),
    ),
  }),
  v.title("Leaderboard"),
);
