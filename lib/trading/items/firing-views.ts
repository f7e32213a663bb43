import type { Network } from "../../core/network.ts";
import { isCutOff } from "../../orders/cutoffs.ts";
import type { FamilyTypes, SlotTerms } from "../../orders/family.ts";
import { type EndFacts, withSignedOut } from "../../orders/resting/life.ts";
import type { Ended, Tally } from "../../orders/resting/mandate.ts";
import type { StoredResting } from "../../orders/resting/stored.ts";
import type { Ledger, RestingName } from "../../orders/table-step.ts";
import { type AnyOrder, hasEnded } from "../../orders/trade-order.ts";
import type { Limits } from "../../orders/wallet-policy.ts";
import { queryRange, type Table } from "../../table/table.ts";
import { find, findOnChain, keysOfUser } from "./found-items.ts";
import { contentOf, keysOfItems } from "./items.ts";
import { isJob, isSlot, jobsAndSlotsOf, triggerParts, triggersOfToken } from "./keys.ts";
import { oldestFirst, tradeKeyOf } from "./lane-records.ts";

/** A resting order with all of the table that decides whether it fires. */
export type FiringView = {
  resting: StoredResting;
  /** The orders of its children that are out, by id. */
  children: ReadonlyMap<string, AnyOrder>;
  /** The signer's ledgers of its newest children, by id. */
  ledgers: ReadonlyMap<string, Ledger>;
  tally: Tally | undefined;
  ended: Ended | undefined;
  end: Pick<EndFacts, "isCancelled" | "isRetired">;
  /** True if the order is cancelled, so that the signer signs no swap of its children from now on. */
  isRefused: boolean;
  /** All users' unsettled orders of the wallet, oldest first, and its slots. */
  orders: readonly AnyOrder[];
  slots: readonly SlotTerms[];
  settings: FamilyTypes["trader"]["settings"];
  limits: Limits;
};

type Lane = Pick<FiringView, "orders" | "slots">;

/**
 * Reads resting orders for a look at them, in three rounds. The last one has the signer's ledgers, because the signer
 * signs no swap of a child that was read as making way or as cancelled.
 */
export async function readFiring(
  table: Table,
  chain: Network,
  names: readonly RestingName[],
  day: string,
): Promise<FiringView[]> {
  const found = await findOnChain(
    table,
    chain,
    names.flatMap((name) => [
      keysOfItems.resting({ mandate: name }),
      keysOfItems.tally(name),
      keysOfItems.ended(name),
      keysOfItems.cancellation(name),
      ...keysOfUser(name, name.userID, day),
    ]),
  );
  const stored = found.all(
    "resting",
    names.map((mandate) => ({ mandate })),
  );
  const resting = stored.map((order) => ({
    ...order,
    ...withSignedOut(order, found.get("tally", order.mandate)),
  }));
  const wallets = [...new Set(resting.map(({ mandate }) => mandate.wallet))];
  const [items, lists] = await Promise.all([
    find(
      table,
      resting.flatMap(({ mandate: { userID }, out }) =>
        out.map(({ orderId }) => tradeKeyOf({ userID, orderId })),
      ),
    ),
    Promise.all(wallets.map((wallet) => queryRange<object>(table, jobsAndSlotsOf({ chain, wallet })))),
  ]);
  const jobs = lists.map((list) => list.filter(isJob).map((item) => contentOf("job", item)));
  const newest = resting.flatMap(({ firings, out }) => [...firings, ...out].map(({ orderId }) => orderId));
  const rest = await find(table, [
    ...jobs.flat().map(tradeKeyOf),
    ...newest.map((orderId) => keysOfItems.ledger({ orderId })),
  ]);
  const lanes = new Map(
    wallets.map((wallet, index): [string, Lane] => {
      const named = (jobs[index] ?? []).map(({ userID, orderId }) => ({ intent: { userID, orderId } }));
      const slots = (lists[index] ?? []).filter(isSlot).map((item) => contentOf("slot", item));
      return [wallet, { orders: oldestFirst(rest.all("order", named)), slots }];
    }),
  );
  return resting.map((order) => {
    const { mandate, out, firings } = order;
    const { userID, wallet } = mandate;
    const isRetired = found.isRetired(mandate, userID);
    const isRefused =
      found.has(keysOfItems.cancellation(mandate)) || isCutOff(mandate, found.cutoffs(mandate, userID));
    return {
      resting: order,
      children: byId(out, ({ orderId }) => items.get("order", { intent: { userID, orderId } })),
      ledgers: byId([...firings, ...out], ({ orderId }) => rest.get("ledger", { orderId })),
      tally: found.get("tally", mandate),
      ended: found.get("ended", mandate),
      end: {
        // Leaves orders of retired wallets to their own end, although retiring cuts them off, too.
        isCancelled: found.has(keysOfItems.cancellation(mandate)) || (!isRetired && isRefused),
        isRetired,
      },
      isRefused,
      ...(lanes.get(wallet) as Lane),
      settings: found.settings(chain, userID),
      limits: found.limits(mandate, day),
    };
  });
}

function byId<Named extends { orderId: string }, Item>(
  named: readonly Named[],
  get: (name: Named) => Item | undefined,
): Map<string, Item> {
  return new Map(
    named.flatMap((name) => {
      const item = get(name);
      return item === undefined ? [] : [[name.orderId, item] as const];
    }),
  );
}

/** Returns the order for whose transaction a lane waits. */
export const busyIn = ({ orders, slots }: Lane): AnyOrder | undefined =>
  orders.find(({ intent }) =>
    slots.some(({ orderId, state }) => orderId === intent.orderId && state === "signed"),
  ) ?? orders.find((order) => !hasEnded(order));

/** A child that is out, with its ledger if anything is signed for it. */
export type ChildOut = { parent: StoredResting; order: AnyOrder; ledger: Ledger | undefined };

/** Reads the children of a token's orders that are out, whether or not these orders are handed over. */
export async function readChildrenOut(table: Table, chain: Network, token: string): Promise<ChildOut[]> {
  const parts = Array.from({ length: triggerParts }, (_, part) => triggersOfToken(chain, part, token));
  const items = await Promise.all(parts.map((range) => queryRange<object>(table, range)));
  const firing = items
    .flat()
    .map((item) => contentOf("trigger", item))
    .filter(({ state }) => state === "firing")
    .map((mandate) => ({ mandate }));
  if (firing.length === 0) return [];
  const parents = (await find(table, firing.map(keysOfItems.resting))).all("resting", firing);
  const children = parents.flatMap((parent) =>
    parent.out.map(({ orderId }) => ({ parent, orderId, userID: parent.mandate.userID })),
  );
  const found = await find(
    table,
    children.flatMap((child) => [tradeKeyOf(child), keysOfItems.ledger(child)]),
  );
  return children.flatMap(({ parent, ...child }) => {
    const order = found.get("order", { intent: child });
    return order === undefined ? [] : [{ parent, order, ledger: found.get("ledger", child) }];
  });
}
