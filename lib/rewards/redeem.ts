import { DomainError } from "../core/domain-error.ts";
import { requireKey } from "../core/idempotency-key.ts";
import { retry } from "../table/retry.ts";
import type { Table } from "../table/table.ts";
import { writeOnce } from "../table/write.ts";
import { pointsWrites } from "./points-records.ts";
import {
  checkRedeemable,
  newRedemption,
  type Redemption,
  redemptionIdFor,
  rewardBusy,
} from "./redemption.ts";
import { addingRedemption, readPurchase, readRedemption } from "./redemption-records.ts";
import { isLimited, type Reward, stockOf } from "./reward.ts";
import { takingPiece } from "./stock-records.ts";

export type RedeemDeps = { table: Table; catalogue: () => Promise<readonly Reward[]> };

type Request = {
  userID: string;
  rewardId: string;
  /** Value of the Idempotency-Key header. */
  key: string | undefined;
  now: Date;
};

type Redeemed = {
  redemption: Redemption;
  /** Points that the user has left. */
  points: number;
  isReplayed: boolean;
};

const maxAttempts = 8;

/** Time after which no attempt begins, because a user who waits longer has given up. */
const maxMs = 3000;

/**
 * Buys a reward with points, once for each user and Idempotency-Key. Writes the stock, the points, the redemption and
 * the ledger's new line in one transaction.
 *
 * @throws {DomainError} IDEMPOTENCY_KEY_MISSING, IDEMPOTENCY_KEY_REUSED, the errors of {@link checkRedeemable}, and
 * REWARD_BUSY if the items change during each attempt.
 */
export async function redeem({ table, catalogue }: RedeemDeps, request: Request): Promise<Redeemed> {
  const { userID, rewardId, key, now } = request;
  requireKey(key, "does not buy twice");
  const redemptionId = redemptionIdFor(userID, key);
  const redeemed = await retry(
    async (): Promise<Redeemed | undefined> => {
      const [{ profile, stock: counted, isMade }, rewards] = await Promise.all([
        readPurchase(table, { userID, rewardId, redemptionId }),
        catalogue(),
      ]);
      if (profile === undefined) throw new Error("The user has no profile");
      const { points } = profile;
      const earlier = isMade ? await readRedemption(table, redemptionId) : undefined;
      if (earlier !== undefined) return { redemption: replayed(earlier, rewardId), points, isReplayed: true };

      const reward = rewards.find(({ id }) => id === rewardId);
      checkRedeemable(reward, { stock: reward ? stockOf(reward, counted) : 0, points });
      const redemption = newRedemption(reward, { redemptionId, userID, now });
      const change = { reason: "redeemed", change: -reward.cost, redemptionId } as const;
      const isWritten = await writeOnce(table, [
        ...(isLimited(reward) ? [takingPiece(rewardId, reward.stock)] : []),
        ...(await pointsWrites(table, profile, change, { now })),
        ...addingRedemption(redemption),
      ]);
      return isWritten ? { redemption, points: points - reward.cost, isReplayed: false } : undefined;
    },
    { attempts: maxAttempts, forMs: maxMs },
  );
  if (redeemed === undefined) throw rewardBusy();
  return redeemed;
}

/** @throws {DomainError} IDEMPOTENCY_KEY_REUSED */
function replayed(earlier: Redemption, rewardId: string): Redemption {
  if (earlier.rewardId === rewardId) return earlier;
  const { redemptionId } = earlier;
  throw new DomainError("IDEMPOTENCY_KEY_REUSED", "Idempotency-Key was used for another reward", {
    redemptionId,
  });
}
