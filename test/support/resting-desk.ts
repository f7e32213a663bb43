import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import type { TestChain } from "trading-terminal-devnet/evm/test-chain";
import { type Chains, openEvmChains } from "../../lib/chains/families/open-chains.ts";
import { orderIdFor } from "../../lib/core/record-ids.ts";
import type { Order } from "../../lib/orders/execution.ts";
import type { LaneKey } from "../../lib/orders/intent.ts";
import { newResting } from "../../lib/orders/resting/life.ts";
import type { Leg, Mandate } from "../../lib/orders/resting/mandate.ts";
import { restingStep } from "../../lib/orders/resting/resting-step.ts";
import { newStored, type StoredResting } from "../../lib/orders/resting/stored.ts";
import type { Mark } from "../../lib/orders/resting/trailing.ts";
import type { FireWord } from "../../lib/orders/resting/watched-orders.ts";
import { readItem, type Table } from "../../lib/table/table.ts";
import { fireOrders } from "../../lib/trading/fire-orders.ts";
import { find } from "../../lib/trading/items/found-items.ts";
import { executionKey, restingKey } from "../../lib/trading/items/keys.ts";
import { writeStep } from "../../lib/trading/items/write-step.ts";
import { type Keys, openKeys } from "./signing.ts";
import { openDesk } from "./trading-desk.ts";

const tableId = "table";
const oneCoin = 10n ** 18n;

/** A price that each sale reaches, and one that none does. */
export const reached = { coins: 1n, tokens: 10n ** 9n };
export const unreached = { coins: 10n ** 9n, tokens: 1n };

export const limitAt = (price: typeof reached): Leg => ({ kind: "limit", price });
export const stopAt = (trigger: typeof reached): Leg => ({ kind: "stop", trigger, worst: reached });

/**
 * Terms of an order with two slices. The first one can fire for six seconds from now on, and the second one for the 20
 * seconds after these, so that a busy machine misses neither.
 *
 * @returns the terms, and a clock just before the second slice is due
 */
export function twoSlices(): { terms: Pick<Mandate, "createdAt" | "slices">; beforeSecond: () => number } {
  const everySeconds = 20;
  const secondDueMs = (Math.floor(Date.now() / 1000) + 6) * 1000;
  return {
    terms: { createdAt: secondDueMs - everySeconds * 1000, slices: { count: 2, everySeconds } },
    beforeSecond: () => secondDueMs - 1,
  };
}

let count = 0;

type Desk = Pick<Awaited<ReturnType<typeof openDesk>>, "userID" | "wallet" | "wake"> & { lane: LaneKey };

type Market = {
  chains: Chains;
  token: string;
  placed: Omit<StoredResting["placed"], "createdAt" | "baseSymbol">;
  /** Terms of all mandates, unless a test changes them. */
  terms: Pick<Mandate, "amount" | "feesLimit" | "feesStop" | "maxGasPrice">;
};

/** Lets orders of a desk's user rest, and fires them as fireOrders does. */
export function restingOf(
  { table, keys }: { table: Table; keys: Keys },
  { userID, wallet, lane, wake }: Desk,
  { chains, token, placed, terms }: Market,
) {
  const nameOf = (orderId: string) => ({ ...lane, userID, token, orderId });

  return {
    /** Lets an order rest that sells this amount. */
    async rest(legs: readonly Leg[], changes: Partial<Mandate> = {}, mark?: Mark): Promise<string> {
      const now = Date.now();
      const orderId = orderIdFor(userID, `rest ${++count}`, new Date(now));
      const mandate: Mandate = {
        ...nameOf(orderId),
        side: "sell",
        legs,
        isPrivate: false,
        createdAt: now,
        expiresAt: Math.floor(now / 1000) + 3600,
        ...terms,
        ...changes,
      };
      const order = newResting(mandate, await keys.macs.makeMandateMac(mandate), mark);
      const named = { ...placed, baseSymbol: "MOON", createdAt: new Date(now).toISOString() };
      await writeStep(
        table,
        restingStep(newStored(order, named, { tableId, choices: {}, warnings: [] }), "absent"),
      );
      return orderId;
    },
    /** Hands orders over. Returns the finding about each. */
    async fire(
      orderIds: readonly string[],
      by: Partial<Parameters<typeof fireOrders>[0]> = {},
    ): Promise<FireWord[]> {
      const orders = orderIds.map((orderId) => ({ orderId, userID, wallet }));
      const words = await fireOrders(
        { table: { ...table, id: tableId }, chains, macs: keys.childMacs, wake, ...by },
        { chain: lane.chain, token, orders },
      );
      return orderIds.map((orderId) => words[orderId] as FireWord);
    },
    /** The order as its user's clients see it. */
    record: (orderId: string) => readItem<Order>(table, executionKey(userID, "order", orderId)),
    async resting(orderId: string): Promise<StoredResting | undefined> {
      const found = await find(table, [restingKey(nameOf(orderId))]);
      return found.get("resting", { mandate: nameOf(orderId) });
    },
  };
}

/** A desk on an EVM chain whose user has orders that rest. */
export async function openRestingDesk(
  table: Table,
  chain: TestChain,
  changes: Parameters<typeof openDesk>[2] = {},
) {
  const keys = openKeys();
  const desk = await openDesk(table, chain, { keys, ...changes });
  const chains = openEvmChains({ [chain.chain]: { ...chain.contracts, hosts: [chain.url, chain.url] } });
  const fees = { feesLimit: oneCoin, feesStop: oneCoin, maxGasPrice: 10n ** 12n };
  const market = {
    chains,
    token: localAddresses.moon,
    placed: { symbol: "MOON/ETH", decimals: 18 },
    terms: { amount: 1000n * oneCoin, ...fees },
  };
  return { ...desk, keys, ...restingOf({ table, keys }, desk, market) };
}

/** A resting desk whose wallet has bought tokens for half a coin. */
export async function openHolderDesk(table: Table, chain: TestChain) {
  const desk = await openRestingDesk(table, chain);
  await desk.place({ amount: "0.5" });
  await desk.watchAndWork();
  await desk.settle();
  return desk;
}
