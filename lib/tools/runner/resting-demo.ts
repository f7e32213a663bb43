import { setTimeout as delay } from "node:timers/promises";
import { StartupError } from "cdk-local-runner";
import { parseUnits } from "ethers/utils";
import type { Order, OrderRequest, RestData, Terminal } from "trading-terminal-client";
import { type LocalMarket, pushForBlock } from "trading-terminal-devnet/local-market";
import { openMarkets } from "trading-terminal-devnet/open-markets";
import { chainFacts } from "../../core/chain-facts.ts";
import { type DemoChain, placesOfRunner } from "./demo-chains.ts";

export type RestingDeps = {
  demo: DemoChain;
  terminal: Terminal;
  baseUrl: string;
  patienceMs: number;
  /** Receives a line for each step. */
  onStep: (line: string) => void;
};

type Detail = RestData<"getOrder">;

/** Time in which an order that was only pushed would have fired. */
const quietMs = 6000;

/**
 * Fractions of the current price: below the first the demo buys, above the second it takes profit, and below the third
 * it stops.
 */
const levels = { limit: 0.97, takeProfit: 1.05, stop: 0.93 } as const;

/** How far below the highest price the demo's trailing stop sells, in percent. */
const trailPercent = 5;

/** Slices of the demo's last order, and the shortest time between two of them. */
const slices = 3;
const intervalSeconds = 60;

/** Target of each move, a few percent beyond the level. The last two lead up and down again, but not to the start. */
const moves = { limit: 0.94, takeProfit: 1.09, stop: 0.88, high: 1.25, below: 1.12 } as const;

/**
 * Places a limit, a take-profit, stops and a buy with an exit, moves the price to each of them, and places slices last.
 * Before the moves, pushes the price beyond a stop for one block, which must fire nothing. Returns every difference
 * between the chain and the service.
 */
export async function restingDemo(deps: RestingDeps): Promise<string[]> {
  const { demo, baseUrl, onStep } = deps;
  const { chain, token, amount, symbol } = demo;
  const market = await openMarket(demo, baseUrl);
  const [price = 0] = market.pools.filter(({ unit }) => unit !== "USDX").map((pool) => pool.price);
  const at = (level: number) => (price * level).toFixed(18).replace(/0+$/, "");
  const problems: string[] = [];
  try {
    const limit = await place(deps, { type: "limit", side: "buy", amount, price: at(levels.limit) });
    problems.push(...(await fired(deps, limit, () => market.moveTo(moves.limit))));
    await market.moveTo(1);

    const both = { stopLoss: { stopPrice: at(levels.stop) }, takeProfit: { price: at(levels.takeProfit) } };
    const oco = await place(deps, { type: "oco", side: "sell", percent: 50, ...both });
    problems.push(...(await quietDuringPush(deps, oco, market)));
    problems.push(...(await fired(deps, oco, () => market.moveTo(moves.takeProfit))));
    await market.moveTo(1);

    const stop = await place(deps, { type: "stop", side: "sell", percent: 50, stopPrice: at(levels.stop) });
    problems.push(...(await quietDuringPush(deps, stop, market)));
    problems.push(...(await fired(deps, stop, () => market.moveTo(moves.stop))));
    await market.moveTo(1);

    const trailing = await place(deps, { type: "trailing_stop", side: "sell", percent: 100, trailPercent });
    await market.moveTo(moves.high);
    await followed(deps, trailing, price * moves.below);
    problems.push(...(await fired(deps, trailing, () => market.moveTo(moves.below))));
    await market.moveTo(1);

    const exit = await bought(deps, [
      { percent: 100, takeProfit: { percent: 10 }, stopLoss: { percent: -20 } },
    ]);
    problems.push(...(await fired(deps, exit, () => market.moveTo(moves.high))));
    await market.moveTo(1);

    const before = await demo.holdings();
    const twap = await place(deps, { type: "twap", side: "buy", amount, slices, intervalSeconds });
    const patienceMs = deps.patienceMs + slices * intervalSeconds * 1000;
    problems.push(...(await settled({ ...deps, patienceMs }, twap, before)));
    const sales = "sold by two take-profits and two stops";
    onStep(`${chain}: ${symbol} ${token} has been bought by a limit and in ${slices} slices, and ${sales}`);
  } finally {
    await market.moveTo(1);
  }
  return problems;
}

async function openMarket({ chain, token }: DemoChain, baseUrl: string): Promise<LocalMarket> {
  const { sol, ...evm } = await placesOfRunner(baseUrl);
  const url = chain === "sol" ? sol?.url : evm[chain];
  if (url === undefined) throw new StartupError(`The runner has no chain ${chain}`);
  return (await openMarkets(chain)).open(url, token);
}

async function place({ demo, terminal, onStep }: RestingDeps, terms: object): Promise<Order> {
  const { chain, wallet, token } = demo;
  const { data, error } = await terminal.placeOrder({
    body: { chain, wallet, token, ...terms } as unknown as OrderRequest,
  });
  if (error !== undefined) throw new StartupError(`The service answers ${error.code}: ${error.message}`);
  const { order } = data as { order: Order };
  onStep(`${chain}: ${order.type} ${order.orderId} ${order.type === "market" ? "is placed" : "rests"}`);
  return order;
}

/** Buys with an exit, and waits until the buy is settled and the exit rests. */
async function bought(deps: RestingDeps, exits: object[]): Promise<Order> {
  const { demo, onStep } = deps;
  const buy = await place(deps, { type: "market", side: "buy", amount: demo.amount, exits });
  const [exit] = buy.exits ?? [];
  await until(deps, buy.orderId, ({ settled: isSettled }) => isSettled);
  const { order } = await until(deps, exit?.orderId ?? "", ({ stage }) => stage === "resting");
  const { stopLoss, takeProfit, amount } = order;
  onStep(`${demo.chain}: its exit sells ${amount} at ${takeProfit?.price}, or below ${stopLoss?.stopPrice}`);
  return order;
}

const detailOf = async ({ terminal }: RestingDeps, orderId: string): Promise<Detail> => {
  const { data, error } = await terminal.getOrder({ path: { orderId } });
  if (data === undefined) throw new StartupError(`The service answers ${error?.code}: ${error?.message}`);
  return data;
};

/** Reads an order until it is as wanted. */
async function until(
  deps: RestingDeps,
  orderId: string,
  isWanted: (order: Order) => boolean | undefined,
): Promise<Detail> {
  for (const startMs = Date.now(); Date.now() - startMs < deps.patienceMs; await delay(250)) {
    const detail = await detailOf(deps, orderId);
    if (isWanted(detail.order)) return detail;
  }
  const { type, stage } = (await detailOf(deps, orderId)).order;
  throw new StartupError(`${type} ${orderId} has waited for too long; its stage is ${stage}`);
}

/** Moves the price, waits until an order is settled, and compares what the chain shows. */
async function fired(deps: RestingDeps, order: Order, move: () => Promise<unknown>): Promise<string[]> {
  const before = await deps.demo.holdings();
  await move();
  return settled(deps, order, before);
}

async function settled(deps: RestingDeps, { orderId, type, side }: Order, before: Held): Promise<string[]> {
  const { demo, onStep } = deps;
  const startMs = Date.now();
  const { order, firings = [] } = await until(deps, orderId, ({ settled: isSettled }) => isSettled);
  const { status, reasonCode = "", filledAmount = "0", receivedAmount = "0" } = order;
  if (status !== "filled") return [`${type} ${orderId} is ${status} ${reasonCode}`];
  const seconds = ((Date.now() - startMs) / 1000).toFixed(1);
  onStep(`${demo.chain}: ${type} ${side} ${filledAmount} → ${receivedAmount}, settled in ${seconds} s`);
  // The rents of markers on sol are part of the children's records.
  const children = await Promise.all(firings.map((firing) => detailOf(deps, firing.orderId)));
  const rents = children.map((child) => child.order.rent ?? "0");
  return differences(deps, order, rents, before, await demo.holdings());
}

/** Waits until a trailing stop would fire at a price, because its mark has risen. */
async function followed(deps: RestingDeps, { orderId }: Order, price: number): Promise<void> {
  const { order } = await until(deps, orderId, ({ trailing }) => Number(trailing?.stopPrice) > price);
  const { mark, stopPrice } = order.trailing ?? {};
  deps.onStep(`${deps.demo.chain}: the mark has risen to ${mark}, and the stop to ${stopPrice}`);
}

type Held = Awaited<ReturnType<DemoChain["holdings"]>>;

/** Fees and rents are in coins, so tokens show best what a fill has moved. */
function differences(
  { demo }: RestingDeps,
  order: Order,
  rents: readonly string[],
  before: Held,
  after: Held,
): string[] {
  const isBuy = order.side === "buy";
  const tokens = (isBuy ? order.receivedAmount : order.filledAmount) ?? "0";
  const moved = isBuy ? after.tokens - before.tokens : before.tokens - after.tokens;
  const units = parseUnits(tokens, demo.decimals);
  const coins = (text = "0") => parseUnits(text, chainFacts[demo.chain].coin.decimals);
  const costs = [order.networkFee, ...rents].reduce((sum, text) => sum + coins(text), 0n);
  const own = isBuy ? -coins(order.filledAmount) : coins(order.receivedAmount);
  return [
    ...(units === moved ? [] : [`tokens of ${order.type}: ${units}, not ${moved}`]),
    ...(before.coins + own - costs === after.coins
      ? []
      : [`coins of ${order.type}: ${before.coins + own - costs}, not ${after.coins}`]),
  ];
}

async function quietDuringPush(
  deps: RestingDeps,
  { orderId, type }: Order,
  market: LocalMarket,
): Promise<string[]> {
  for await (const { block } of pushForBlock(market, moves.stop))
    deps.onStep(`${deps.demo.chain}: pushed at ${block}`);
  await delay(quietMs);
  const { order } = await detailOf(deps, orderId);
  return order.status === "open" && order.stage === "resting"
    ? []
    : [`${type} ${orderId} has fired by a push`];
}
