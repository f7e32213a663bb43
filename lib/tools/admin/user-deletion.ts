import { DomainError } from "../../core/domain-error.ts";
import type { Order } from "../../orders/execution.ts";
import { shownResting } from "../../orders/resting/shown.ts";
import { shownOrder } from "../../orders/trade-order.ts";
import { acceptConnections, refuseConnections } from "../../realtime/connection-records.ts";
import { disconnectUser } from "../../realtime/disconnect.ts";
import { settleRedemption } from "../../rewards/settle-redemption.ts";
import { listedChange } from "../../rewards/standing-records.ts";
import { rangeOf } from "../../table/keys.ts";
import { retry } from "../../table/retry.ts";
import { queryRange, type Table } from "../../table/table.ts";
import { singleOf, write } from "../../table/write.ts";
import { cancelOrder } from "../../trading/cancel-order.ts";
import { contentOf } from "../../trading/items/items.ts";
import { readResting, restedIn } from "../../trading/items/resting-records.ts";
import { writeStep } from "../../trading/items/write-step.ts";
import { profileKey } from "../../users/item-keys.ts";
import { type Profile, remainsOf } from "../../users/profile.ts";
import { changeProfile, readProfile } from "../../users/profile-records.ts";
import { type Erasing, eraseAll, isAwaited, isOfAccount, isRemains, itemsNaming } from "./erase-items.ts";
import { OperatorError } from "./operator-error.ts";
import { privateKeysOf, type SealedWalletKey, walletKeyText } from "./private-keys.ts";
import { readAllRedemptions } from "./redemption-sheet.ts";
import type { ConnectionTarget, Directory, PlanTarget } from "./target.ts";
import { isPseudonym, newPseudonym } from "./user-items.ts";

export type DeletionDeps = {
  connections: ConnectionTarget;
  plans: PlanTarget;
  directory: Directory | undefined;
  now: () => Date;
  pauseMs: (ms: number) => Promise<unknown>;
  /** Receives a line about each step. */
  say: (line: string) => void;
};

export type DeletionOptions = {
  /** True to delete private keys that their owner has not exported. */
  deleteKeys: boolean;
  /** How long to wait for orders to settle. */
  waitMs: number;
};

/**
 * Result of a run: the user is deleted, except for the account if it still has private keys. A run names only the keys
 * that it deletes itself.
 */
export type Deletion = {
  pseudonym: string;
  deletedAt: string | undefined;
  keptKeys: SealedWalletKey[];
  deletedKeys: SealedWalletKey[];
};

/**
 * Time after which nobody acts for a blocked user any more: authorizers remember users for a minute, and a function
 * runs for less than another one.
 */
const unnoticedMs = 120_000;

/**
 * Time after which nothing writes that has read the profile before its end. Functions in the background, such as
 * mirrorPlans, run for at most 300 s.
 */
const lateWritesMs = 310_000;

const pollMs = 10_000;

/** Maximum number of passes over the table. Functions that ran meanwhile may have written more items of the user. */
const mostPasses = 5;

/**
 * Deletes a user: refuses them, ends their orders, takes them out of the table, and last removes their account. Each
 * step can be repeated, so another run continues after one that was cut short.
 *
 * @throws {OperatorError} if the user is unknown, or something must wait. Run it again later.
 */
export async function deleteUserData(
  deps: DeletionDeps,
  userID: string,
  options: DeletionOptions,
): Promise<Deletion> {
  const { table } = deps.connections;
  if (!options.deleteKeys) await refuseStranded(table, userID);
  const profile = await beginning(deps, userID);
  const { pseudonym } = profile;
  const erasing: Erasing = { table, plans: deps.plans, userID, pseudonym, now: deps.now };
  if (profile.deletedAt === undefined) await quieten(deps, profile);
  await endOrders(deps, userID, options);
  if (profile.deletedAt === undefined) await refundPending(deps, userID);
  const keys = await privateKeysOf(table, userID);
  const keptKeys = options.deleteKeys ? [] : keys.filter(isUnexported);
  const isWhole = keptKeys.length === 0;
  const deletedKeys = isWhole ? keys : [];
  for (const key of deletedKeys) deps.say(`deleting the private key of ${walletKeyText(key)}`);
  await erasePasses(deps, erasing, isWhole);
  if (isWhole) await deps.directory?.remove(userID);
  else await readmit(deps, userID);
  const deletedAt = isWhole ? (await readProfile(table, userID))?.deletedAt : undefined;
  return { pseudonym, keptKeys, deletedKeys, deletedAt };
}

const isUnexported = ({ exportedAt }: SealedWalletKey) => exportedAt === undefined;

/**
 * Private keys without a profile come from a restore, an earlier run with other options, or a forged profile.
 *
 * @throws {OperatorError} if there are any that were not exported.
 */
async function refuseStranded(table: Table, userID: string): Promise<void> {
  const profile = await readProfile(table, userID);
  if (profile !== undefined && profile.deletedAt === undefined) return;
  const keys = (await privateKeysOf(table, userID)).filter(isUnexported);
  if (keys.length === 0) return;
  throw new OperatorError(
    `${userID} has no account but private keys without an export: ${keys.map(walletKeyText).join(", ")}; ` +
      "nothing was removed, and only --delete-keys removes them",
  );
}

type Named = Profile & { pseudonym: string };

/** Blocks the user, takes the public name back and chooses the pseudonym, unless an earlier run has done so. */
async function beginning({ connections: { table }, now, say }: DeletionDeps, userID: string): Promise<Named> {
  const begun = await retry(
    async () => {
      const profile = await readProfile(table, userID);
      if (profile === undefined) return withoutProfile(table, userID, now());
      const { blockedAt } = profile;
      const pseudonym = isPseudonym(profile.pseudonym) ? profile.pseudonym : newPseudonym();
      if (pseudonym === profile.pseudonym && blockedAt !== undefined) return { ...profile, pseudonym };
      const at = now().toISOString();
      const block = blockedAt === undefined ? { blockedAt: at, deletingSince: at } : {};
      const changes = { pseudonym, publicName: undefined, ...block };
      const isWritten = await write(table, singleOf(listedChange(profile, changes, now())));
      const { publicName: _, ...rest } = { ...profile, ...changes };
      return isWritten ? rest : undefined;
    },
    { attempts: 5 },
  );
  if (begun === undefined) throw new OperatorError(`User ${userID} kept changing; run the command again`);
  say(`${userID} is blocked`);
  return begun;
}

/** Continues with a user whose profile is gone while other items are left, as after a restore. */
async function withoutProfile(table: Table, userID: string, now: Date): Promise<Named> {
  const found = await itemsNaming(table, userID);
  if (found.length === 0) throw new OperatorError(`The table names no user ${userID}`);
  const remains = remainsOf({ userID, pseudonym: newPseudonym() }, now);
  await write(table, { kind: "put", key: profileKey(userID), item: remains, when: "absent" });
  return remains;
}

/** Ends the user's sessions and connections, and waits until nobody acts for the user any more. */
async function quieten(deps: DeletionDeps, { userID, blockedAt }: Named): Promise<void> {
  const { connections, directory, now, pauseMs, say } = deps;
  await refuseConnections(connections.table, userID, now());
  await directory?.signOut(userID);
  const { failed } = await disconnectUser({ ...connections, now, pauseMs }, userID);
  if (failed > 0) throw new OperatorError(`${failed} connections could not be ended; run the command again`);
  const leftMs = Date.parse(blockedAt ?? "") + unnoticedMs - now().getTime();
  if (leftMs <= 0) return;
  say(`waiting ${Math.ceil(leftMs / 1000)} s until no request of the user is being answered`);
  await pauseMs(leftMs);
}

/** Cancels the user's orders, and waits until each of them has settled, as money may still move until then. */
async function endOrders(deps: DeletionDeps, userID: string, { waitMs }: DeletionOptions): Promise<void> {
  const { now, pauseMs, say } = deps;
  const until = now().getTime() + waitMs;
  for (let isFirst = true; ; isFirst = false) {
    const open = await unsettled(deps.connections.table, userID);
    if (open.length === 0) return;
    if (isFirst) say(`orders to cancel: ${open.length}; waiting until they have settled`);
    for (const order of open) await cancel(deps, userID, order);
    // Resting orders without a child end as soon as they are cancelled.
    const left = await unsettled(deps.connections.table, userID);
    if (left.length === 0) return;
    if (now().getTime() + pollMs > until) {
      const lines = left.map(
        ({ orderId, chain, status, stage }) => `  ${orderId} on ${chain}: ${status}, ${stage}`,
      );
      throw new OperatorError(
        `Nothing was removed yet, because orders have not settled; run the command again:\n${lines.join("\n")}`,
      );
    }
    await pauseMs(pollMs);
  }
}

/** Lists the orders that may still move money, also those that rest. */
async function unsettled(table: Table, userID: string): Promise<Order[]> {
  const items = await queryRange<object>(table, rangeOf("trade", { userID }));
  const placed = items.filter((item) => restedIn(item) === undefined);
  return [
    ...placed.map((item) => shownOrder(contentOf("order", item))),
    ...(await readResting(table, userID)).map(shownResting),
  ].filter(({ settled }) => settled !== true);
}

/** Cancels an order, and makes its lane due at the next sweep. */
async function cancel(deps: DeletionDeps, userID: string, order: Order): Promise<void> {
  const { table } = deps.connections;
  const { orderId, chain, wallet } = order;
  const wake = async () => undefined;
  try {
    await cancelOrder({ table, wake, nowMs: () => deps.now().getTime() }, userID, orderId);
  } catch (error) {
    // An order that has ended in another way only has to settle.
    if (!(error instanceof DomainError && error.code === "ORDER_NOT_CANCELLABLE")) throw error;
  }
  const item = { chain, wallet };
  await writeStep(table, [{ kind: "change", of: "lane", item, set: { watch: undefined }, when: "present" }]);
}

/** Gives back the points and pieces of rewards that the user has not received. */
async function refundPending({ connections: { table }, now }: DeletionDeps, userID: string): Promise<void> {
  for (const { redemptionId, status } of await readAllRedemptions(table, userID)) {
    if (status !== "pending") continue;
    const { outcome } = await settleRedemption(table, { redemptionId, status: "refunded", now: now() });
    if (outcome === "busy") throw new OperatorError("A reward kept changing; run the command again");
  }
}

/** Goes over the table until nothing is left to do. */
async function erasePasses(deps: DeletionDeps, erasing: Erasing, isWhole: boolean): Promise<void> {
  const { table, userID } = erasing;
  let hasWaited = false;
  for (let pass = 1; ; pass++) {
    deps.say("reading the whole table");
    const found = await itemsNaming(table, userID);
    const waiting = found.filter(isAwaited);
    if (waiting.length > 0) {
      const kinds = [...new Set(waiting.map(({ kind }) => kind))].join(", ");
      throw new OperatorError(`Work on the user's orders is not over (${kinds}); run the command again`);
    }
    const left = found.filter((each) => !isRemains(each) && (isWhole || !isOfAccount(each)));
    if (left.length === 0) {
      const deletedAt = String(found.find(isRemains)?.item.deletedAt);
      const lateMs = Date.parse(deletedAt) + lateWritesMs - deps.now().getTime();
      if (hasWaited || !(lateMs > 0)) return;
      deps.say(`waiting ${Math.ceil(lateMs / 1000)} s for late writes in the background`);
      await deps.pauseMs(Math.min(lateMs, lateWritesMs));
      hasWaited = true;
      continue;
    }
    if (pass > mostPasses)
      throw new OperatorError(`Items of ${userID} keep coming back: ${left.length}; run the command again`);
    deps.say(`items to remove or to change: ${left.length}`);
    await eraseAll(erasing, left);
  }
}

/** Lets the user in again, who may export private keys, unless an operator had blocked the user before. */
async function readmit({ connections: { table } }: DeletionDeps, userID: string): Promise<void> {
  const profile = await readProfile(table, userID);
  if (profile?.deletingSince === undefined || profile.deletingSince !== profile.blockedAt) return;
  // Fails if an operator has blocked the user meanwhile.
  const changes = { blockedAt: undefined, deletingSince: undefined };
  if (await changeProfile(table, profile, changes)) await acceptConnections(table, userID);
}
