import { setTimeout as delay } from "node:timers/promises";
import { requestToken, StartupError } from "cdk-local-runner";
import { Command, Option } from "commander";
import { parseUnits } from "ethers/utils";
import {
  createTerminal,
  type Order,
  type OrderRequest,
  type RestData,
  type ServerMessage,
  type Stream,
  type Terminal,
} from "trading-terminal-client";
import { chainFacts, type TradingChain, tradingChains } from "../../core/chain-facts.ts";
import { coinText } from "../../orders/decimal-text.ts";
import { type DemoChain, demoChain, type Holdings, solSymbols } from "./demo-chains.ts";
import { earnedText, readEarned } from "./demo-earnings.ts";
import { restingDemo } from "./resting-demo.ts";
import { port, runProgram, type Stdio, timeLimit } from "./run-program.ts";

type Options = {
  port: number;
  patience: number;
  chain: readonly TradingChain[];
  solToken: readonly (typeof solSymbols)[number][];
  resting?: boolean;
  earnings: boolean;
};
type Side = { side: "buy"; amount: string } | { side: "sell"; percent: number };
type Trade = RestData<"getOrder"> & { seconds: string };

/** A purchase and the complete sale that follows, as seen by the chain and by the service. */
export type Round = Record<"before" | "between" | "after", Holdings> &
  Record<"buy" | "sell", Trade> &
  Pick<RestData<"readBalances">, "balances"> &
  Pick<RestData<"listPositions">, "positions"> &
  Pick<DemoChain, "token" | "symbol" | "decimals">;

/** Thrown when a chain that stores no state has started over with the runner. */
class ChainStartedOver extends Error {
  override readonly name = "ChainStartedOver";
}

/** Runs `npm run -s trade:demo`, which trades on the local chains and continues after a restart of the runner. */
export async function main(args: readonly string[], { stdout, stderr }: Stdio): Promise<number> {
  const command = new Command("npm run -s trade:demo --")
    .description("Buys and sells MOON on each local chain, and compares chain, orders and position.")
    .option("--port <number>", "port of base_url", port, 3000)
    .option("--patience <seconds>", "how long a step may take, with restarts of the runner", timeLimit, 120)
    .addOption(
      new Option("--chain <name...>", "where to trade").choices(tradingChains).default(tradingChains),
    )
    .addOption(
      new Option("--sol-token <symbol...>", "what to trade on sol").choices(solSymbols).default(solSymbols),
    )
    .option("--no-earnings", "do not wait, up to two minutes, until the trades are credited")
    .option("--resting", "also fire a limit, a take-profit and a stop, by moving the price of MOON");
  let agrees = true;
  const status = await runProgram<Options>(command, args, { stdout, stderr }, async (options) => {
    const baseUrl = `http://127.0.0.1:${options.port}`;
    const patienceMs = options.patience * 1000;
    const newToken = () => requestToken(options.port, { sub: "alice" });
    // Fails at once if the runner is not available at the start.
    await newToken();
    const terminal = createTerminal({ baseUrl, token: newToken, patienceMs });
    let credits = 0;
    const onMessage = ({ type }: ServerMessage) => void (type === "ProfileUpdated" && credits++);
    const stream = terminal.follow({ channels: ["orders"], onMessage });
    const before = await readEarned(terminal);
    const trading = options.chain.map(async (chain) => {
      // Plays one round after another, because all of a chain's rounds use the same wallet.
      for (const symbol of chain === "sol" ? options.solToken : (["MOON"] as const)) {
        const demo = await demoChain(chain, symbol, baseUrl);
        const round = await roundOn({ demo, terminal, stream, patienceMs });
        const problems = disagreements(round);
        agrees &&= problems.length === 0;
        const verdict = problems.length === 0 ? "chain agrees" : `chain disagrees: ${problems.join("; ")}`;
        stdout.write(`${lineOf(chain, round)} | ${verdict}\n`);
      }
      if (!options.resting) return;
      const demo = await demoChain(chain, "MOON", baseUrl);
      const onStep = (line: string) => void stdout.write(`${line}\n`);
      const problems = await restingDemo({ demo, terminal, baseUrl, patienceMs, onStep });
      agrees &&= problems.length === 0;
      const verdict = problems.length === 0 ? "agrees" : `disagrees: ${problems.join("; ")}`;
      stdout.write(`${chain}: resting orders | chain ${verdict}\n`);
    });
    try {
      await Promise.all(trading);
      // Waits for a credit after the last trade, because earlier ones lack it.
      const [wanted, endMs] = [credits + 1, Date.now() + patienceMs];
      while (options.earnings && credits < wanted && Date.now() <= endMs) await delay(250);
    } finally {
      stream.close();
    }
    if (options.earnings) stdout.write(`${earnedText(before, await readEarned(terminal))}\n`);
  });
  return status === 0 && !agrees ? 1 : status;
}

type Deps = { demo: DemoChain; terminal: Terminal; stream: Stream; patienceMs: number };

/** Plays a round, and plays it again if the chain starts over. */
async function roundOn(deps: Deps): Promise<Round> {
  for (;;) {
    try {
      return await playRound(deps);
    } catch (error) {
      if (!(error instanceof ChainStartedOver)) throw error;
    }
  }
}

async function playRound({ demo, terminal, stream, patienceMs }: Deps): Promise<Round> {
  const { chain, wallet, token, symbol, amount, decimals } = demo;
  const until: Stream["until"] = (find) => {
    const late = new StartupError(`No order on ${chain} has ended for ${patienceMs / 1000} seconds`);
    const timeout = delay(patienceMs, undefined, { ref: false }).then(() => Promise.reject(late));
    return Promise.race([stream.until(find), timeout]);
  };

  async function trade(side: Side): Promise<Trade> {
    const startMs = Date.now();
    // The address has the chain's format.
    const body = { type: "market", chain, wallet, token, validForSeconds: 600, ...side } as OrderRequest;
    const { orderId } = await placed(body);
    const ending = new AbortController();
    await Promise.race([
      until(({ orders }) => orders.some((order) => order.orderId === orderId && order.settled)),
      forgotten(orderId, ending.signal),
    ]).finally(() => ending.abort());
    const ended = dataOf(await terminal.getOrder({ path: { orderId } }));
    const { status, reasonCode = "" } = ended.order;
    if (status === "filled") return { ...ended, seconds: ((Date.now() - startMs) / 1000).toFixed(1) };
    throw new StartupError(`The ${side.side} on ${chain} is ${status} ${reasonCode}: order ${orderId}`);
  }

  /** Places an order, as soon as a token that graduates has its pool. */
  async function placed(body: OrderRequest): Promise<Order> {
    for (const endMs = Date.now() + patienceMs; ; await delay(500)) {
      const answer = await terminal.placeOrder({ body });
      if (answer.error?.code !== "NO_ROUTE" || Date.now() > endMs) return dataOf(answer).order;
    }
  }

  /** Rejects once the service no longer knows an order. Otherwise stays pending. */
  async function forgotten(orderId: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await delay(2000, undefined, { signal }).catch(() => undefined);
      const { error } = await terminal.getOrder({ path: { orderId } });
      if (error?.code === "ORDER_NOT_FOUND") throw new ChainStartedOver(`The order ${orderId} is gone`);
    }
    await new Promise<never>(() => {});
  }

  async function holdings(): Promise<Holdings> {
    for (const endMs = Date.now() + patienceMs; ; await delay(250)) {
      try {
        return await demo.holdings();
      } catch (error) {
        if (error instanceof StartupError || Date.now() > endMs) throw error;
      }
    }
  }

  /** @throws {ChainStartedOver} if the chain has started over, with other orders and holdings */
  async function holdingsSince({ startedAt }: Holdings): Promise<Holdings> {
    const now = await holdings();
    if (now.startedAt !== startedAt)
      throw new ChainStartedOver(`${chain} has started over at ${now.startedAt}`);
    return now;
  }

  const tradeSince = (start: Holdings, side: Side): Promise<Trade> =>
    trade(side).catch(async (error) => {
      await holdingsSince(start);
      throw error;
    });

  // Sells first, because an earlier run may have been stopped before its sale.
  const isOpen = (order: Order) =>
    order.chain === chain && order.wallet === wallet && order.token === token && order.settled === false;
  await until(({ orders }) => !orders.some(isOpen));
  const left = await holdings();
  if (left.tokens > 0n) await tradeSince(left, { side: "sell", percent: 100 });
  const before = await holdings();
  const buy = await tradeSince(before, { side: "buy", amount });
  const between = await holdingsSince(before);
  const sell = await tradeSince(before, { side: "sell", percent: 100 });
  const { positions } = dataOf(await terminal.listPositions({ query: { chain, wallet } }));
  const { balances } = dataOf(await terminal.readBalances({ query: { chain, wallet } }));
  // Reads the holdings last, so that all answers are from the same chain.
  const after = await holdingsSince(before);
  return { before, between, after, buy, sell, positions, balances, token, symbol, decimals };
}

type Answer<Data> = { data?: Data; error?: { code: string; message: string } | undefined };

/**
 * Returns the data of a response.
 * @throws StartupError if the service returns an error, or stays unavailable
 */
function dataOf<Data>({ data, error }: Answer<Data>) {
  if (error !== undefined) throw new StartupError(`The service answers ${error.code}: ${error.message}`);
  return data as NonNullable<Data>;
}

const positionIn = ({ positions, token }: Pick<Round, "positions" | "token">) =>
  positions.find((each) => each.token === token);

/** Names the pools that a trade used. */
const wayOf = ({ report }: Trade) =>
  (report?.route ?? [])
    .map(({ venue, feeBps }) => (feeBps === undefined ? venue : `${venue} ${feeBps / 100} %`))
    .join(" → ");

/** Names the block or slot of a trade, such as `block 12`. */
const placeOf = ({ order, report }: Trade) => `${order.chain === "sol" ? "slot" : "block"} ${report?.block}`;

/**
 * Describes a round, for example `sol: buy 0.5 SOL → 4960.27 MOON by raydium-cpmm 0.25 %, slot 45 in 3.2 s | sell 100 %
 * → 0.497 SOL …`.
 */
export function lineOf(chain: TradingChain, round: Round): string {
  const { buy, sell, symbol } = round;
  const short = (amount = "0") => Number(Number(amount).toPrecision(6));
  const coins = (amount?: string) => `${short(amount)} ${chainFacts[chain].coin.symbol}`;
  const how = (trade: Trade) => `by ${wayOf(trade)}, ${placeOf(trade)} in ${trade.seconds} s`;
  const bought = `buy ${coins(buy.order.filledAmount)} → ${short(buy.order.receivedAmount)} ${symbol} ${how(buy)}`;
  const sold = `sell 100 % → ${coins(sell.order.receivedAmount)} ${how(sell)}`;
  return `${chain}: ${bought} | ${sold} | PnL ${coins(positionIn(round)?.realizedPnl)}`;
}

/** Describes every difference between the chain and the service, even of one base unit. */
export function disagreements(round: Round): string[] {
  const { before, between, after, buy, sell, balances, token, decimals } = round;
  const position = positionIn(round);
  const [bought, sold] = [buy.order, sell.order];
  const coins = (amount = "0") => parseUnits(amount, chainFacts[bought.chain].coin.decimals);
  const tokens = (amount = "0") => parseUnits(amount, decimals);
  const fees = coins(bought.networkFee) + coins(sold.networkFee);
  // Rents stay in accounts that belong to the wallet.
  const rents = coins(bought.rent) + coins(sold.rent);
  const gain = coins(sold.receivedAmount) - coins(bought.filledAmount);
  const balance = (name: string) => balances.find((each) => each.token === name)?.amount;
  const inBlocks = [...buy.attempts, ...sell.attempts].filter(({ outcome }) =>
    /mined|reverted/.test(outcome),
  );
  const compared: readonly (readonly [name: string, service: unknown, chain: unknown])[] = [
    ["coins by the orders", before.coins + gain - fees - rents, after.coins],
    ["tokens bought by the orders", before.tokens + tokens(bought.receivedAmount), between.tokens],
    ["tokens left by the orders", between.tokens - tokens(sold.filledAmount), after.tokens],
    ["coins by the balances", coins(balance("native")), after.coins],
    ["tokens by the balances", tokens(balance(token)), after.tokens],
    ["PnL of the position", coins(position?.realizedPnl), gain],
    ["fees of the position", coins(position?.networkFees), fees],
    ["net PnL of the position", coins(position?.netRealizedPnl), gain - fees],
    ["amount of the position", tokens(position?.amount), 0n],
    ["cost of the position", coins(position?.cost), 0n],
    ...(after.nonce === undefined || before.nonce === undefined
      ? []
      : ([["transactions by the attempts", inBlocks.length, after.nonce - before.nonce]] as const)),
    ["state of the position", position?.status, "closed"],
    ["finality of the position", position?.settled, true],
  ];
  const text = (value: unknown) => (typeof value === "bigint" ? coinText(bought.chain, value) : value);
  return compared
    .filter(([, service, chain]) => service !== chain)
    .map(([name, service, chain]) => `${name}: ${text(service)}, not ${text(chain)}`);
}
