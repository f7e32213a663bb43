import { randomUUID } from "node:crypto";
import { StartupError } from "cdk-local-runner";
import type { Order } from "../../domain/execution.ts";
import type { TradingChain } from "../../domain/trading/trading-chain.ts";
import type { Holdings } from "./demo-chain.ts";
import type { DemoService, Side } from "./demo-service.ts";
import { disagreements } from "./disagreements.ts";
import type { DemoPatience } from "./patience.ts";

export type DemoDeps = {
  service: Pick<DemoService, "place" | "orders" | "attempts" | "positions" | "balances">;
  /** What the wallet has by the chain. */
  holdings: (chain: TradingChain) => Promise<Holdings>;
  wallet: string;
  /** The token that is bought and sold. */
  token: string;
  patience: DemoPatience;
};

/** An order that has settled, and how long it took, in milliseconds. */
export type Traded = { order: Order; filledMs: number; settledMs: number };

export type ChainTrade = { chain: TradingChain; buy: Traded; sell: Traded; pnl: string; problems: string[] };

const pollMs = 150;

/** As long as orders may be valid, since a runner may be away meanwhile. */
const validForSeconds = 600;

/** How often an order is placed again that the chain has certainly not filled. */
const maxTries = 3;

const buying: Side = { side: "buy", amount: "0.5" };
const selling: Side = { side: "sell", percent: 100 };

/** Buys and sells on one chain, and compares what the chain, the orders and the position say. */
export async function tradeOnChain(deps: DemoDeps, chain: TradingChain): Promise<ChainTrade> {
  const { service, holdings, wallet, token } = deps;
  await sellLeftovers(deps, chain);
  const before = await holdings(chain);
  const placed: Order[] = [];
  const buy = await trade(deps, chain, buying, placed);
  const between = await holdings(chain);
  const sell = await trade(deps, chain, selling, placed);
  const after = await holdings(chain);
  const attempts = await Promise.all(placed.map(({ orderId }) => service.attempts(orderId)));
  const position = (await service.positions(chain, wallet)).find((each) => each.token === token);
  const balances = await service.balances(chain, wallet);
  const facts = { token, before, between, after, placed, buy: buy.order, sell: sell.order };
  const problems = disagreements({ ...facts, attempts: attempts.flat(), position, balances });
  return { chain, buy, sell, pnl: position?.realizedPnl ?? "0", problems };
}

/** Waits for what an earlier run has placed, and sells what it has bought, so that this run's position is its own. */
async function sellLeftovers(deps: DemoDeps, chain: TradingChain): Promise<void> {
  const isUnsettled = (order: Order) => isOf(deps, chain, order) && order.settled === false;
  await ordersWhen(deps, (orders) => (orders.some(isUnsettled) ? undefined : true));
  if ((await deps.holdings(chain)).tokens > 0n) await trade(deps, chain, selling, []);
}

const isOf = ({ wallet, token }: DemoDeps, chain: TradingChain, order: Order) =>
  order.chain === chain && order.wallet === wallet && order.token === token;

/**
 * Places an order, and waits until its outcome is final.
 *
 * @param placed Receives it, and those that expired before it.
 * @throws StartupError if it ends otherwise
 */
async function trade(deps: DemoDeps, chain: TradingChain, side: Side, placed: Order[]): Promise<Traded> {
  const { service, wallet, token, patience } = deps;
  for (let tries = 1; ; tries++) {
    const startMs = patience.nowMs();
    const { orderId } = await service.place({ chain, wallet, token, validForSeconds, ...side }, randomUUID());
    let filledMs: number | undefined;
    const order = await ordersWhen(deps, (orders) => {
      const found = orders.find((each) => each.orderId === orderId);
      if (found?.status === "filled") filledMs ??= patience.nowMs() - startMs;
      return found?.settled ? found : undefined;
    });
    placed.push(order);
    const settledMs = patience.nowMs() - startMs;
    if (order.status === "filled") return { order, filledMs: filledMs ?? settledMs, settledMs };
    // A runner that was away for long kept it from being executed. Nothing was spent, and that is final.
    if (order.status === "expired" && tries < maxTries) continue;
    const state = [order.status, order.reasonCode].filter(Boolean).join(" ");
    throw new StartupError(`The ${side.side} on ${chain} is ${state}: order ${orderId}`);
  }
}

/**
 * Asks for the orders until they answer a question.
 *
 * @throws StartupError if they do not for longer than orders are valid
 */
async function ordersWhen<Answer>(
  { service, patience }: DemoDeps,
  answer: (orders: readonly Order[]) => Answer | undefined,
): Promise<Answer> {
  const untilMs = patience.nowMs() + validForSeconds * 1000 + patience.ms;
  while (patience.nowMs() < untilMs) {
    const found = answer(await service.orders());
    if (found !== undefined) return found;
    await patience.pause(pollMs);
  }
  throw new StartupError("An order does not end. Look at it with: npm run -s admin -- show-order");
}
