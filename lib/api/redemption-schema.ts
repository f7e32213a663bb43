import * as v from "valibot";
import { redemptionStatuses } from "../rewards/redemption.ts";
import { RewardInputSchema } from "./reward-schema.ts";
import { CountSchema, TimestampSchema } from "./scalars.ts";

const { id, name, cost } = RewardInputSchema.entries;

export const RedemptionSchema = v.pipe(
  v.object({
    redemptionId: v.string(),
    rewardId: id,
    name: v.pipe(name, v.description("Name of the reward at the time of purchase")),
    cost: v.pipe(cost, v.description("Points paid for the reward")),
    status: v.pipe(
      v.picklist(redemptionStatuses),
      v.description("Status of the redemption. `refunded` means that the points have been returned"),
    ),
    createdAt: TimestampSchema,
    updatedAt: TimestampSchema,
    version: v.pipe(v.number(), v.description("Version of the redemption, which grows with each change")),
  }),
  v.title("Redemption"),
);

export const PointsLeftSchema = v.pipe(CountSchema, v.description("Points that the user has now"));
