import type { Network } from "../../core/network.ts";
import { isCutOff } from "../../orders/cutoffs.ts";
import type { FamilyTypes, SlotTerms } from "../../orders/family.ts";
import { unknownParts } from "../../orders/resting/facts.ts";
import { type EndFacts, type OutChild, withSignedOut } from "../../orders/resting/life.ts";
import type { Ended, Tally } from "../../orders/resting/mandate.ts";
import type { StoredResting } from "../../orders/resting/stored.ts";
import type { Ledger, RestingName } from "../../orders/table-step.ts";
import { type AnyOrder, hasEnded } from "../../orders/trade-order.ts";
import type { Limits } from "../../orders/wallet-policy.ts";
import { queryRange, type Table } from "../../table/table.ts";
import { type ExitRecords, readExits } from "./exit-views.ts";
import { find, findOnChain, keysOfUser } from "./found-items.ts";
import { contentOf, keysOfItems } from "./items.ts";
import { isJob, isSlot, jobsAndSlotsOf, triggerParts, triggersOfToken } from "./keys.ts";
import { oldestFirst, tradeKeyOf } from "./lane-records.ts";

/** A resting order with everything in the table that decides whether it fires. */
export type FiringView = {
  resting: StoredResting;
  /** The orders of its children that are out, have not settled, or are of {@link unknownParts}, by id. */
  children: ReadonlyMap<string, AnyOrder>;
  /** The signer's ledgers of its newest children, by id. */
  ledgers: ReadonlyMap<string, Ledger>;
  tally: Tally | undefined;
  ended: Ended | undefined;
  end: Omit<EndFacts, "nowMs" | "isVoid">;
  /** True if the order is cancelled, so that the signer signs no swap of its children from now on. */
  isRefused: boolean;
  /** All users' unsettled orders of the wallet, oldest first, and its slots. */
  orders: readonly AnyOrder[];
  slots: readonly SlotTerms[];
  settings: FamilyTypes["trader"]["settings"];
  limits: Limits;
  /** Present for an exit. */
  exit: ExitRecords | undefined;
};

type Lane = Pick<FiringView, "orders" | "slots">;

/**
 * Reads resting orders for a look at them, in three rounds. The last one has the signer's ledgers, because the signer
 * signs no swap of a child that was read as making way, as cancelled or as dead. The first round has the jobs: a child
 * without a job has settled, so what the second round reads of it is final.
 */
export async function readFiring(
  table: Table,
  chain: Network,
  names: readonly RestingName[],
  day: string,
): Promise<FiringView[]> {
  const wallets = [...new Set(names.map(({ wallet }) => wallet))];
  const [found, lists] = await Promise.all([
    findOnChain(
      table,
      chain,
      names.flatMap((name) => [
        keysOfItems.resting({ mandate: name }),
        keysOfItems.tally(name),
        keysOfItems.cancellation(name),
        ...keysOfUser(name, name.userID, day),
      ]),
    ),
    Promise.all(wallets.map((wallet) => queryRange<object>(table, jobsAndSlotsOf({ chain, wallet })))),
  ]);
  const stored = found.all(
    "resting",
    names.map((mandate) => ({ mandate })),
  );
  const resting = stored.map((order) => ({
    ...order,
    ...withSignedOut(order, found.get("tally", order.mandate)),
  }));
  const jobs = lists.map((list) => list.filter(isJob).map((item) => contentOf("job", item)));
  const [items, exits] = await Promise.all([
    find(table, [
      ...jobs.flat().map(tradeKeyOf),
      ...resting.flatMap((order) => [
        keysOfItems.ended(order.mandate),
        ...idsOf(order).map((orderId) => tradeKeyOf({ userID: order.mandate.userID, orderId })),
      ]),
    ]),
    readExits(table, resting),
  ]);
  const lanes = new Map(
    wallets.map((wallet, index): [string, Lane] => {
      const named = (jobs[index] ?? []).map(({ userID, orderId }) => ({ intent: { userID, orderId } }));
      const slots = (lists[index] ?? []).filter(isSlot).map((item) => contentOf("slot", item));
      return [wallet, { orders: oldestFirst(items.all("order", named)), slots }];
    }),
  );
  const views = resting.map((order) => {
    const { mandate } = order;
    const { userID, orderId: parentId } = mandate;
    const lane = lanes.get(mandate.wallet) as Lane;
    const own = lane.orders.filter(({ intent }) => intent.parent?.orderId === parentId);
    const others = items.all(
      "order",
      idsOf(order).map((orderId) => ({ intent: { userID, orderId } })),
    );
    const children = new Map([...own, ...others].map((child) => [child.intent.orderId, child]));
    const changed = changedOf(order, [...children.values()]);
    const isSure = own.length === 0 && changed.length === 0;
    return { lane, isSure, children, resting: { ...order, out: [...order.out, ...changed] } };
  });
  const rest = await find(
    table,
    views.flatMap(({ resting }) => newestOf(resting).map(keysOfItems.ledger)),
  );
  return views.map(({ lane, isSure, children, resting }) => {
    const { mandate, out } = resting;
    const { userID } = mandate;
    const isRetired = found.isRetired(mandate, userID);
    const isRefused =
      found.has(keysOfItems.cancellation(mandate)) || isCutOff(mandate, found.cutoffs(mandate, userID));
    return {
      resting,
      children,
      ledgers: new Map(rest.all("ledger", newestOf(resting)).map((ledger) => [ledger.orderId, ledger])),
      tally: found.get("tally", mandate),
      ended: items.get("ended", mandate),
      end: {
        // Leaves orders of retired wallets to their own end, although retiring cuts them off, too.
        isCancelled: found.has(keysOfItems.cancellation(mandate)) || (!isRetired && isRefused),
        isRetired,
        isSettled: isSure && out.every(({ orderId }) => children.get(orderId)?.life.settled !== false),
      },
      isRefused,
      ...lane,
      settings: found.settings(chain, userID),
      limits: found.limits(mandate, day),
      exit: exits.get(mandate.orderId),
    };
  });
}

/** Lists the children to read besides those with jobs. */
const idsOf = (order: StoredResting): string[] => [
  ...new Set([...order.out.map(({ orderId }) => orderId), ...unknownParts(order)]),
];

/** Lists the children whose ledgers may say something about those that are out. */
const newestOf = ({ mandate, firings, out }: StoredResting): { orderId: string }[] =>
  mandate.slices === undefined ? [...firings, ...out] : [...out];

/**
 * Lists children whose outcome may have changed: dead ones that have filled after all, as a deep reorganisation allows,
 * and filled ones of slices until they have settled with their fill.
 */
function changedOf({ out, firings }: StoredResting, children: readonly AnyOrder[]): OutChild[] {
  const isOut = (id: string) => out.some(({ orderId }) => orderId === id);
  const hasFilled = (id: string) =>
    firings.some(({ orderId, outcome }) => orderId === id && outcome === "filled");
  return children.flatMap(({ intent: { orderId, parent, validUntil }, life }) => {
    const fills = [life.status === "filled", hasFilled(orderId)];
    const isSame = life.settled ? fills[0] === fills[1] : !fills.includes(true);
    if (parent === undefined || isOut(orderId) || isSame) return [];
    const { leg, n, slice } = parent;
    return [{ orderId, leg, n, ...(slice !== undefined && { slice }), validUntil }];
  });
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
