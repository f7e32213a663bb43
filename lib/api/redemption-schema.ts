import * as v from "valibot";
import { redemptionStatuses } from "../rewards/redemption.ts";
import { idempotencyHeaders } from "./idempotency-schema.ts";
import type { OperationSchemas } from "./operation-schema.ts";
import { nextCursor, paging } from "./paging-schema.ts";
import { RewardInputSchema, RewardListSchema } from "./reward-schema.ts";
import { CountSchema, envelopeOf, NoQuerySchema, TimestampSchema } from "./scalars.ts";

const { id, name, cost } = RewardInputSchema.entries;

export const RedemptionSchema = v.pipe(
  v.object({
    redemptionId: v.string(),
    rewardId: id,
    name: v.pipe(name, v.description("The reward's name at the time of purchase")),
    cost: v.pipe(cost, v.description("The points that were paid")),
    status: v.pipe(
      v.picklist(redemptionStatuses),
      v.description("The points of a refunded redemption have been given back"),
    ),
    createdAt: TimestampSchema,
    updatedAt: TimestampSchema,
    version: v.pipe(v.number(), v.description("Grows with each change")),
  }),
  v.title("Redemption"),
);

const points = v.pipe(CountSchema, v.description("The user's current points"));

/** The input and output of the operations for rewards. */
export const rewardSchemas = {
  listRewards: { success: RewardListSchema },
  redeemReward: {
    path: v.strictObject({
      rewardId: v.pipe(v.string(), v.regex(/^[\w.-]{1,64}$/, "must be the id of a reward")),
    }),
    query: NoQuerySchema,
    headers: idempotencyHeaders("A key buys only one reward for a user, ever."),
    body: v.pipe(v.strictObject({}), v.title("RedeemReward")),
    success: envelopeOf(v.object({ redemption: RedemptionSchema, points })),
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
  },
  listRedemptions: {
    query: v.strictObject(paging),
    success: envelopeOf(v.object({ redemptions: v.array(RedemptionSchema), points, cursor: nextCursor })),
    errors: ["INVALID_REQUEST"],
  },
} as const satisfies Record<string, OperationSchemas>;
