import { isFreshSignIn, requireFreshSignIn } from "../core/sign-in.ts";
import {
  isSameState,
  isWithin,
  loosens,
  mayRaiseFees,
  openPolicy,
  type PolicyKey,
  type PolicyRecord,
  type PolicyState,
  policyAfter,
  policyAt,
  tightest,
} from "../orders/wallet-policy.ts";
import type { Table } from "../table/table.ts";
import { untilWritten } from "../table/until-written.ts";
import { writeOnce } from "../table/write.ts";
import { policyWrite, readPolicyRecord } from "../trading/items/policy-records.ts";
import { isOfTable } from "./export/export-lock.ts";
import { readLock } from "./export/lock-records.ts";
import {
  forgetLoosening,
  type Loosening,
  looseningsDue,
  looseningWrite,
  type PolicyChange,
  putEndedLock,
  shownPolicyWrite,
} from "./guard-records.ts";
import { type PolicyStateText, type PolicyText, policyStateText, readPolicy } from "./policy-text.ts";
import { activeNamed, laneOf, type Wallet, type WalletName } from "./wallet.ts";
import { eventWrite } from "./wallet-events.ts";
import { stillActive, walletsOfUser } from "./wallet-records.ts";

/** A request for a new policy of a wallet. `signedInAt` is absent if the time of the sign-in is unknown. */
export type AskedPolicy = WalletName & { asked: PolicyText; signedInAt?: string | undefined };

export type PolicyAnswer = PolicyStateText | { refused: "WALLET_NOT_FOUND" | "SIGN_IN_REQUIRED" };

type PolicyRequest = WalletName & { asked: PolicyText; signedInAt: Date | undefined; now: Date };

/** The table and its id. Announcements that were made in another table are void. */
export type GuardDeps = { table: Table };

/**
 * Used by loosenGuards: sets a wallet's policy. Tighter limits apply at once. Looser limits are announced and wait for
 * 24 hours by this function's own clock, because its caller may lie. A limit of network fees does not wait. Writes only
 * changes.
 *
 * @throws {DomainError} WALLET_NOT_FOUND, SIGN_IN_REQUIRED for looser limits, and INVALID_REQUEST for an address or
 * amount that is invalid on the wallet's network.
 */
export async function changePolicy(
  deps: GuardDeps,
  { userID, walletId, asked, signedInAt, now }: PolicyRequest,
): Promise<PolicyStateText> {
  const { table } = deps;
  return untilWritten(async () => {
    const wallet = activeNamed(await walletsOfUser(table, userID), walletId);
    const { network } = wallet;
    const key: PolicyKey = { userID, ...laneOf(wallet) };
    const named = { ...key, walletId };
    const { stored, isCurrent } = await putInForce(deps, named, now);
    if (!isCurrent) return undefined;
    const before: PolicyState = stored ?? { policy: openPolicy };
    const wanted = readPolicy(network, asked);
    // If the request freezes the wallet, only tightens the other limits. A freeze needs no recent sign-in, so it must
    // not loosen anything for later.
    const isFreezeAlone = !wanted.tradingEnabled && !isFreshSignIn(signedInAt, now);
    const after = isFreezeAlone
      ? { policy: tightest(wanted, before.policy) }
      : policyAfter(before, wanted, now.getTime());
    if (isSameState(before, after)) return policyStateText(network, after);
    if (loosens(before, after)) requireFreshSignIn(signedInAt, now);
    const step = { named, stored, before, after, wallet, now };
    return (await writeState(deps, step)) ? policyStateText(network, after) : undefined;
  });
}

type Named = PolicyKey & { walletId: string };

type Step = {
  named: Named;
  stored: PolicyRecord | undefined;
  before: PolicyState;
  after: PolicyState;
  /** Wallet that must still be active. Undefined if its state does not matter. */
  wallet?: Wallet;
  now: Date;
};

/**
 * Writes a policy with its event, its message, and a note of the time at which the policy becomes looser. Returns false
 * if the stored policy has changed in the meantime.
 */
function writeState(
  { table }: GuardDeps,
  { named, stored, before, after, wallet, now }: Step,
): Promise<boolean> {
  const { walletId, ...key } = named;
  const { userID, chain } = key;
  const { policy, pending } = after;
  const revision = (stored?.revision ?? 0) + 1;
  const record: PolicyRecord = {
    ...key,
    policy,
    ...(pending && { pending: { ...pending, ...(table.id && { tableId: table.id }) } }),
    revision,
  };
  const shown = policyStateText(chain, after);
  const change = changeOf(before, after);
  return writeOnce(table, [
    policyWrite(record, stored),
    ...(wallet ? [stillActive(wallet)] : []),
    eventWrite({ userID, walletId, type: "policyChanged", now, details: shown }),
    shownPolicyWrite(key, { ...shown, userID, walletId, change, version: revision }),
    ...(pending ? [looseningWrite(pending.effectiveAt, named)] : []),
  ]);
}

function changeOf(before: PolicyState, { policy, pending }: PolicyState): PolicyChange {
  if (mayRaiseFees(before.policy, policy) || !isWithin(policy, before.policy)) return "loosened";
  return pending !== undefined && pending.effectiveAt !== before.pending?.effectiveAt
    ? "announced"
    : "tightened";
}

/**
 * If the time of a wallet's pending policy has come, puts the policy in force. Drops a pending policy that was
 * announced in another table.
 *
 * @returns the stored policy. `isCurrent` is false if it has changed in the meantime.
 */
async function putInForce(
  deps: GuardDeps,
  named: Named,
  now: Date,
): Promise<{ stored: PolicyRecord | undefined; isCurrent: boolean }> {
  const stored = await readPolicyRecord(deps.table, named);
  if (stored?.pending === undefined) return { stored, isCurrent: true };
  const { policy, pending } = stored;
  const after = isOfTable(pending, deps.table.id) ? policyAt(stored, now.getTime()) : { policy };
  if (after.pending !== undefined) return { stored, isCurrent: true };
  const isWritten = await writeState(deps, { named, stored, before: stored, after, now });
  const { pending: _, ...rest } = stored;
  return { stored: { ...rest, ...after, revision: stored.revision + 1 }, isCurrent: isWritten };
}

/** Times of a run. No guard is loosened after the deadline, and the next run continues. */
type SweepTimes = { now: Date; deadline: Date };

/**
 * Puts looser policies in force when they are due, and announces the ends of locks. Users get each change through the
 * stream.
 *
 * @param onFault receives the error of each failed change. The next run repeats it.
 */
export async function loosenDue(
  deps: GuardDeps & { delaySeconds: number },
  { now, deadline }: SweepTimes,
  onFault: (error: unknown) => void,
): Promise<void> {
  for await (const each of looseningsDue(deps.table, now)) {
    if (Date.now() >= deadline.getTime()) return;
    try {
      if (await takeEffect(deps, each, now)) await forgetLoosening(deps.table, each);
    } catch (error) {
      onFault(error);
    }
  }
}

/**
 * Applies a change that is due according to its note. Returns false if the change must be checked again later: the note
 * is only a hint, and the announcement decides.
 */
async function takeEffect(
  deps: GuardDeps & { delaySeconds: number },
  due: Loosening,
  now: Date,
): Promise<boolean> {
  if ("lockId" in due) return endLock(deps, due, now);
  const { userID, chain, wallet, walletId } = due;
  return (await putInForce(deps, { userID, chain, wallet, walletId }, now)).isCurrent;
}

async function endLock(
  { table, delaySeconds }: GuardDeps & { delaySeconds: number },
  { userID, lockId }: { userID: string; lockId: string },
  now: Date,
): Promise<boolean> {
  const { state } = await readLock(table, userID, { delaySeconds, now });
  if (state.status === "unlocked" && state.lockId === lockId)
    await putEndedLock(table, { userID, lockId, endedAt: now.toISOString() });
  // Keeps a lock that is not due yet, for example because operators have lengthened the delay.
  return state.status !== "unlocking" || state.lock.lockId !== lockId;
}
