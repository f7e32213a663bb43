import { setTimeout as pause } from "node:timers/promises";
import { parseUnits } from "ethers/utils";
import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { chainFacts } from "../../../lib/core/chain-facts.ts";
import type { Order } from "../../../lib/orders/execution.ts";
import { type Asked, askedOf, type Request } from "../../replay/asked.ts";
import { kindOf } from "../../replay/kinds.ts";
import { pointsOf } from "../../replay/points.ts";
import { outOf, type PriceRecord } from "../../replay/pools.ts";
import type { Chance } from "../chance.ts";
import { isFault, outcomeOf, type TradeWorld } from "../trade/trade-actions.ts";
import { noteShown, openOrdersOf, type SentOrder, type Trader, type TraderWallet } from "../trade/traders.ts";
import { countOf, feez, reachOf, walkedTokens } from "./walk-prices.ts";

/** A request to cancel some orders of a user, or a restore, which ends those of all. */
export type Cancel = { userID?: string; orderId?: string; chain?: string; wallet?: string; atMs: number };

export type RestingWorld = TradeWorld & {
  /** The newest state of the pools of the wallet's chain. */
  recordOf(wallet: TraderWallet): PriceRecord | undefined;
  /** Records a request to cancel before it is sent. */
  noteCancel(cancel: Cancel): void;
};

export const decimalsOf = (chain: TraderWallet["chain"]) => (chain === "sol" ? 6 : 18);

/** Returns a request that has placed an order, with the id and the time of the answer. */
export function requestOf(
  userID: string,
  { wallet: { chain, address: wallet }, body }: SentOrder,
  { orderId, createdAt }: Order,
): Request {
  const createdAtMs = Date.parse(createdAt);
  return { orderId, userID, chain, wallet, body, decimals: decimalsOf(chain), createdAtMs };
}

export const askedIn = (...request: Parameters<typeof requestOf>): Asked => askedOf(requestOf(...request));

const path = "/api/v2/orders";

/** Makes the body of a resting order, with prices around the price now. */
export function newRestingBody(
  { chance, recordOf }: Pick<RestingWorld, "chance" | "recordOf">,
  wallet: TraderWallet,
): SentOrder["body"] {
  const { chain, address } = wallet;
  const token = chance.weighted(walkedTokens(chain));
  const type = chance.weighted({ limit: 38, stop: 23, oco: 18, trailing_stop: 13, twap: 8 });
  const mayBuy = type === "limit" || type === "twap";
  const side = mayBuy && chance.number() < 0.5 ? "buy" : "sell";
  const coinDecimals = chainFacts[chain].coin.decimals;
  const whole = side === "buy" ? "0.0" : `${chance.pick([50, 120, 300]) * countOf(token)}.`;
  const amount = `${whole}${1 + chance.below(4)}${String(chance.below(10 ** 4)).padStart(4, "0")}`;
  const units = parseUnits(amount, side === "buy" ? coinDecimals : decimalsOf(chain));
  const market = recordOf(wallet)?.markets.get(token);
  const out = market === undefined ? 0 : outOf(market, side, units);
  const ratio = side === "buy" ? Number(units) / out : out / Number(units);
  const price = ratio * 10 ** (decimalsOf(chain) - coinDecimals);
  const reach = reachOf(chain, token);
  const at = (least: number, most: number) =>
    textOfPrice(price * (1 + reach * (least + (most - least) * chance.number() - 1)));
  const worst = chance.number() < 0.3;
  const stop = () => {
    const stopPrice = at(0.8, 0.985);
    return {
      stopPrice,
      ...(worst && { price: textOfPrice(Number(stopPrice) * (0.6 + 0.3 * chance.number())) }),
    };
  };
  const limit = () => (side === "buy" ? at(0.85, 1.01) : at(0.99, 1.18));
  return {
    chain,
    wallet: address,
    token,
    side,
    type,
    amount,
    ...(type === "limit" && { price: limit() }),
    ...(type === "stop" && stop()),
    ...(type === "limit" &&
      side === "buy" &&
      isTaxless(token) &&
      chance.number() < 0.5 && { exits: newExits(chance, reach) }),
    ...(type === "twap" && { slices: 2 + chance.below(2), intervalSeconds: 60 }),
    ...(type === "trailing_stop" && { trailPercent: trailOf(reach * (2 + 13 * chance.number())) }),
    ...(type === "oco" && { takeProfit: { price: at(1.01, 1.18) }, stopLoss: stop() }),
    ...(chance.number() < 0.4 && { slippage: chance.pick([0.5, 3, 10, 50]) }),
    ...(type !== "twap" && chance.number() < 0.25 && { expiresInSeconds: 60 + chance.below(60) }),
    ...(chance.number() < 0.3 && { mevProtection: chance.number() < 0.5 }),
    ...(chain !== "sol" && chance.number() < 0.3 && { gasPreset: chance.pick(["slow", "medium", "fast"]) }),
    ...((token === localAddresses.taxd || chance.number() < 0.2) && { allowUnsafe: true }),
    // Gives a budget for many children, so that the audit need not know how many have been signed.
    maxNetworkFee: "0.5",
  };
}

/** True for tokens without a tax, which makes exits close to the price of the buy useless. */
const isTaxless = (token: string) => token !== localAddresses.taxd && token !== feez;

/** Makes exits in percent, at least as far as a stop must be from the price of a sale at once. */
const newExits = (chance: Chance, reach: number) =>
  chance.pick([
    [
      {
        percent: 50,
        takeProfit: { percent: 2 + 18 * reach },
        stopLoss: { percent: -(7 + chance.below(10)) },
      },
      { percent: 50, trailing: { trailPercent: 4 + chance.below(8) } },
    ],
    [{ percent: 80, takeProfit: { percent: 3 + 10 * reach } }],
    [{ percent: 100, stopLoss: { percent: -(7 + chance.below(8)) } }],
  ]);

/** Rounds a trail to places that the service accepts, and to the smallest one. */
const trailOf = (percent: number): number => Math.max(0.5, Math.round(10 * percent) / 10);

/** Formats a price with 18 places. */
const textOfPrice = (price: number): string => price.toFixed(18).replace(/0+$/, "");

export const openParentsOf = (wallet: TraderWallet): Order[] =>
  openOrdersOf(wallet).filter(({ type }) => type !== "market");

/** True if a leg may fire by the newest state of the pools. */
const isReachedNow = (asked: Asked, record: PriceRecord): boolean =>
  asked.legs.some((leg) => {
    const points = pointsOf(asked, leg.amount, [record]);
    return kindOf(leg).sights(leg, { asked, points, faults: [] })[0] !== "no";
  });

/** Finds a resting order whose price is currently reached. */
function firingOf({ chance, recordOf }: RestingWorld, wallet: TraderWallet): Order | undefined {
  const { trader } = wallet;
  const found = openParentsOf(wallet).filter((order) => {
    const sent = trader.sent.get(order.clientOrderId ?? "");
    const record = recordOf(wallet);
    if (sent === undefined || record === undefined) return false;
    return order.stage === "firing" || isReachedNow(askedIn(trader.id, sent, order), record);
  });
  return found.length === 0 ? undefined : chance.pick(found);
}

export const restingWeights = {
  place: 62,
  placeAtOnce: 4,
  placeWithLostAnswer: 6,
  replay: 4,
  tryDry: 3,
  look: 5,
  lookResting: 5,
  cancelOne: 8,
  cancelAsItFires: 8,
  cancelAll: 1.5,
};

/** Maximum number of cancellations of each kind per placed order, so that most orders rest until the end. */
export const mostCancels: Readonly<Record<string, number>> = {
  cancelOne: 0.1,
  cancelAsItFires: 0.1,
  cancelAll: 0.01,
};

async function cancel(
  world: RestingWorld,
  { trader }: TraderWallet,
  order: Order,
  name: string,
): Promise<void> {
  const { service, count, report } = world;
  // A child's id cancels its parent, too.
  const id = world.chance.number() < 0.3 ? (order.childOrderId ?? order.orderId) : order.orderId;
  world.noteCancel({ userID: trader.id, orderId: order.orderId, atMs: Date.now() });
  const answer = await service.send(trader, "POST", `${path}/${id}/cancel`, {});
  const outcome = outcomeOf(answer);
  count(name, outcome);
  const shown = (answer?.json as { data?: { order?: Order } } | undefined)?.data?.order;
  if (answer?.status === 200 && shown !== undefined) {
    noteShown(trader, shown, report);
    if (shown.orderId !== order.orderId)
      report(`the cancellation of ${id} was answered with ${shown.orderId} instead of ${order.orderId}`);
    const isRight = ["cancelled", "filled"].includes(shown.status) || shown.stage === "cancelling";
    // An order that keeps changing is shown as before.
    if (!isRight) count(name, `${shown.status} ${shown.stage}`);
  } else if (!isFault(answer) && outcome !== "ORDER_NOT_CANCELLABLE")
    report(`the cancellation of ${id} was answered with ${answer?.status} ${answer?.text}`);
}

/** Actions on resting orders. None of them places one. */
export const restingActions = {
  async cancelOne(world: RestingWorld, wallet: TraderWallet): Promise<number> {
    const open = openParentsOf(wallet);
    if (open.length > 0) await cancel(world, wallet, world.chance.pick(open), "cancelOne");
    return 0;
  },
  async cancelAsItFires(world: RestingWorld, wallet: TraderWallet): Promise<number> {
    const order = firingOf(world, wallet);
    if (order === undefined) return 0;
    await pause(world.chance.below(3000));
    await cancel(world, wallet, order, "cancelAsItFires");
    return 0;
  },
  async cancelAll(world: RestingWorld, { trader, chain, address }: TraderWallet): Promise<number> {
    const { chance } = world;
    const scope = chance.pick([{}, { chain }, { chain, wallet: address }]);
    await cancelAllOf(world, trader, scope);
    return 0;
  },
  async lookResting(world: RestingWorld, { trader }: TraderWallet): Promise<number> {
    const { service, count, report } = world;
    const answer = await service.send(trader, "GET", `${path}?status=resting`);
    count("lookResting", outcomeOf(answer));
    const { orders = [] } = (answer?.json as { data?: { orders?: Order[] } } | undefined)?.data ?? {};
    for (const order of orders) noteShown(trader, order, report);
    for (const order of orders)
      if (order.type === "market" || !["open", "partially_filled"].includes(order.status))
        report(
          `status=resting of ${trader.id} lists the ${order.type} order ${order.orderId}, ${order.status}`,
        );
    if (answer?.status !== 200 && !isFault(answer))
      report(`status=resting was answered with ${answer?.status} ${answer?.text}`);
    return 0;
  },
};

/** Cancels many orders. Returns whether the service has confirmed it. */
export async function cancelAllOf(
  { service, count, report, noteCancel }: Pick<RestingWorld, "service" | "count" | "report" | "noteCancel">,
  trader: Trader,
  scope: { chain?: string; wallet?: string },
): Promise<boolean> {
  noteCancel({ userID: trader.id, ...scope, atMs: Date.now() });
  const answer = await service.send(trader, "POST", `${path}/cancel`, scope);
  count("cancelAll", outcomeOf(answer));
  if (answer?.status !== 200 && !isFault(answer))
    report(`the cancellation of all orders was answered with ${answer?.status} ${answer?.text}`);
  return answer?.status === 200;
}
