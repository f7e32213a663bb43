import * as v from "valibot";
import { windowNames } from "../users/experience.ts";
import { idempotencyHeaders } from "./idempotency-schema.ts";
import type { OperationSchemas } from "./operation-schema.ts";
import { nextCursor, paging } from "./paging-schema.ts";
import { PointsLeftSchema, RedemptionSchema } from "./redemption-schema.ts";
import { LeaderboardSchema, RewardListSchema } from "./reward-schema.ts";
import { envelopeOf, NoQuerySchema } from "./scalars.ts";

export const listRewards = { success: RewardListSchema } as const satisfies OperationSchemas;

export const redeemReward = {
  path: v.strictObject({
    rewardId: v.pipe(v.string(), v.regex(/^[\w.-]{1,64}$/, "must be the id of a reward")),
  }),
  query: NoQuerySchema,
  headers: idempotencyHeaders("A key buys only one reward per user, ever."),
  body: v.pipe(v.strictObject({}), v.title("RedeemReward")),
  success: envelopeOf(v.object({ redemption: RedemptionSchema, points: PointsLeftSchema })),
  answerHeaders: {
    "Idempotent-Replayed":
      "`true` if the key bought the reward before. The response shows the redemption's current state.",
  },
  errors: [
    "IDEMPOTENCY_KEY_MISSING",
    "IDEMPOTENCY_KEY_REUSED",
    "REWARD_NOT_FOUND",
    "REWARD_UNAVAILABLE",
    "OUT_OF_STOCK",
    "INSUFFICIENT_POINTS",
    "REWARD_BUSY",
  ],
  keyMakes: "redemptionId",
} as const satisfies OperationSchemas;

export const listRedemptions = {
  query: v.strictObject(paging),
  success: envelopeOf(
    v.object({ redemptions: v.array(RedemptionSchema), points: PointsLeftSchema, cursor: nextCursor }),
  ),
} as const satisfies OperationSchemas;

export const getLeaderboard = {
  query: v.strictObject({ window: v.optional(v.picklist(windowNames), "weekly") }),
  success: envelopeOf(LeaderboardSchema),
} as const satisfies OperationSchemas;
