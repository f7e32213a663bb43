import { DomainError } from "../core/domain-error.ts";
import { hashedId } from "../core/record-ids.ts";
import { isLimited, type Reward } from "./reward.ts";

export const redemptionStatuses = ["pending", "fulfilled", "refunded"] as const;

export type RedemptionStatus = (typeof redemptionStatuses)[number];

/** A reward that a user has bought. Times are ISO 8601. */
export type Redemption = {
  redemptionId: string;
  userID: string;
  rewardId: string;
  /** Name of the reward at the time of purchase. */
  name: string;
  /** Points paid for the reward. */
  cost: number;
  /** Status of the redemption: pending until an operator fulfils or refunds it. */
  status: RedemptionStatus;
  createdAt: string;
  updatedAt: string;
  /** Version of the redemption, which grows by one with each change. */
  version: number;
  /** True if the purchase took a piece of a limited reward. A refund then returns the piece. */
  isLimited: boolean;
};

/** Derives the id from the user and the idempotency key, so that a repeated request gets the same id. */
export const redemptionIdFor = (userID: string, key: string): string =>
  hashedId(["redeemReward", userID, key]);

/**
 * Checks that a user may buy a reward.
 *
 * @param stock the number of pieces left, or -1 for an unlimited reward.
 * @throws {DomainError} REWARD_NOT_FOUND, REWARD_UNAVAILABLE, OUT_OF_STOCK or INSUFFICIENT_POINTS.
 */
export function checkRedeemable(
  reward: Reward | undefined,
  { stock, points }: { stock: number; points: number },
): asserts reward is Reward {
  if (reward === undefined) throw new DomainError("REWARD_NOT_FOUND", "There is no such reward");
  if (!reward.available)
    throw new DomainError("REWARD_UNAVAILABLE", `${reward.name} is not available at the moment`);
  if (stock === 0) throw new DomainError("OUT_OF_STOCK", `${reward.name} is out of stock`);
  if (points < reward.cost) {
    const message = `${reward.name} costs ${reward.cost} points, and ${points} are available`;
    throw new DomainError("INSUFFICIENT_POINTS", message, { needed: reward.cost, available: points });
  }
}

/** Makes the error for concurrent purchases of a reward. The same request may succeed a moment later. */
export const rewardBusy = () =>
  new DomainError("REWARD_BUSY", "Too many users are buying this reward right now; try again");

export function newRedemption(
  reward: Reward,
  { redemptionId, userID, now }: { redemptionId: string; userID: string; now: Date },
): Redemption {
  const time = now.toISOString();
  return {
    redemptionId,
    userID,
    rewardId: reward.id,
    name: reward.name,
    cost: reward.cost,
    status: "pending",
    createdAt: time,
    updatedAt: time,
    version: 1,
    isLimited: isLimited(reward),
  };
}

/**
 * Statuses that may follow each status. A fulfilled redemption can still be refunded, but its piece is not returned to
 * the stock.
 */
const nextStatuses: Record<RedemptionStatus, readonly RedemptionStatus[]> = {
  pending: ["fulfilled", "refunded"],
  fulfilled: ["refunded"],
  refunded: [],
};

export const canBecome = ({ status }: Redemption, next: RedemptionStatus): boolean =>
  nextStatuses[status].includes(next);

export const changedTo = (redemption: Redemption, status: RedemptionStatus, now: Date): Redemption => ({
  ...redemption,
  status,
  updatedAt: now.toISOString(),
  version: redemption.version + 1,
});
