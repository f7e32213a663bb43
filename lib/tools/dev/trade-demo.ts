import { setTimeout as delay } from "node:timers/promises";
import { requestToken, StartupError } from "cdk-local-runner";
import { Command, Option } from "commander";
import { parseEther } from "ethers/utils";
import {
  createTerminal,
  type Order,
  type RestData,
  type Stream,
  type Terminal,
} from "trading-terminal/client";
import { balanceOf } from "../../trading/chains/evm/contract-questions.ts";
import { coinText } from "../../trading/core/decimal-text.ts";
import { type EvmChain, evmChains } from "../../trading/core/trading-chain.ts";
import { callAnvil } from "./chains/call-anvil.ts";
import { localAddresses } from "./chains/deployment.ts";
import { port, runProgram, type Stdio, timeLimit } from "./run-program.ts";
import { exampleWallet } from "./seed-data.ts";

type Options = { port: number; patience: number; chain: readonly EvmChain[] };
type Side = { side: "buy"; amount: string } | { side: "sell"; percent: number };
type Trade = RestData<"getOrder"> & { seconds: string };

/** Coins and tokens of the wallet in units, and the number of its transactions in blocks. */
type Holdings = { coins: bigint; tokens: bigint; nonce: number };

/** A purchase and the sale of all of it, as the chain and the service show them. */
export type Round = Record<"before" | "between" | "after", Holdings> &
  Record<"buy" | "sell", Trade> &
  Pick<RestData<"readBalances">, "balances"> &
  Pick<RestData<"listPositions">, "positions">;

const [wallet, token] = [exampleWallet.address, localAddresses.moon];

/** `npm run -s trade:demo`: trades on the chains of this machine, and goes on after a restart of the runner. */
export async function main(args: readonly string[], { stdout, stderr }: Stdio): Promise<number> {
  const command = new Command("npm run -s trade:demo --")
    .description("Buys and sells MOON on each local chain, and compares chain, orders and position.")
    .option("--port <number>", "port of base_url", port, 3000)
    .option("--patience <seconds>", "how long a step may take, with restarts of the runner", timeLimit, 120)
    .addOption(new Option("--chain <name...>", "where to trade").choices(evmChains).default(evmChains));
  let agrees = true;
  const status = await runProgram<Options>(command, args, { stdout, stderr }, async (options) => {
    const baseUrl = `http://127.0.0.1:${options.port}`;
    const patienceMs = options.patience * 1000;
    const newToken = () => requestToken(options.port, { sub: "alice" });
    // A runner that is away at the start is not waited for.
    await newToken();
    const terminal = createTerminal({ baseUrl, token: newToken, patienceMs });
    const stream = terminal.follow({ channels: ["orders"] });
    const trading = options.chain.map(async (chain) => {
      const round = await playRound({ chain, baseUrl, terminal, stream, patienceMs });
      const problems = disagreements(round);
      agrees &&= problems.length === 0;
      const verdict = problems.length === 0 ? "chain agrees" : `chain disagrees: ${problems.join("; ")}`;
      stdout.write(`${lineOf(chain, round)} | ${verdict}\n`);
    });
    await Promise.all(trading).finally(() => stream.close());
  });
  return status === 0 && !agrees ? 1 : status;
}

type Deps = { chain: EvmChain; baseUrl: string; terminal: Terminal; stream: Stream; patienceMs: number };

async function playRound({ chain, baseUrl, terminal, stream, patienceMs }: Deps): Promise<Round> {
  const until: Stream["until"] = (find) => {
    const late = new StartupError(`No order on ${chain} has ended for ${patienceMs / 1000} seconds`);
    const timeout = delay(patienceMs, undefined, { ref: false }).then(() => Promise.reject(late));
    return Promise.race([stream.until(find), timeout]);
  };

  async function trade(side: Side): Promise<Trade> {
    const startMs = Date.now();
    const body = { type: "market", chain, wallet, token, validForSeconds: 600, ...side } as const;
    const placed = dataOf(await terminal.placeOrder({ body }));
    if (!("order" in placed)) throw new StartupError("A trial run places no order");
    const { orderId } = placed.order;
    await until(({ orders }) => orders.some((order) => order.orderId === orderId && order.settled));
    const ended = dataOf(await terminal.getOrder({ path: { orderId } }));
    const { status, reasonCode = "" } = ended.order;
    if (status === "filled") return { ...ended, seconds: ((Date.now() - startMs) / 1000).toFixed(1) };
    throw new StartupError(`The ${side.side} on ${chain} is ${status} ${reasonCode}: order ${orderId}`);
  }

  async function holdings(): Promise<Holdings> {
    const { to, data } = balanceOf(token, wallet);
    for (const endMs = Date.now() + patienceMs; ; await delay(250)) {
      try {
        const urls = (await (await fetch(`${baseUrl}/chains.json`)).json()) as Record<string, string>;
        if (urls[chain] === undefined) throw new StartupError(`The runner has no chain ${chain}`);
        const answers = await callAnvil(urls[chain], [
          ["eth_getBalance", [wallet, "latest"]],
          ["eth_call", [{ to, data }, "latest"]],
          ["eth_getTransactionCount", [wallet, "latest"]],
        ]);
        const [coins = 0n, tokens = 0n, nonce] = (answers as string[]).map(BigInt);
        return { coins, tokens, nonce: Number(nonce) };
      } catch (error) {
        if (error instanceof StartupError || Date.now() > endMs) throw error;
      }
    }
  }

  // An earlier run may have been stopped before its sale.
  const isOpen = (order: Order) =>
    order.chain === chain && order.wallet === wallet && order.token === token && order.settled === false;
  await until(({ orders }) => !orders.some(isOpen));
  if ((await holdings()).tokens > 0n) await trade({ side: "sell", percent: 100 });
  const before = await holdings();
  const buy = await trade({ side: "buy", amount: "0.5" });
  const between = await holdings();
  const sell = await trade({ side: "sell", percent: 100 });
  const after = await holdings();
  const { positions } = dataOf(await terminal.listPositions({ query: { chain, wallet } }));
  const { balances } = dataOf(await terminal.readBalances({ query: { chain, wallet } }));
  return { before, between, after, buy, sell, positions, balances };
}

type Answer<Data> = { data?: Data; error?: { code: string; message: string } | undefined };

/** @throws StartupError if the service refuses, or stays away */
function dataOf<Data>({ data, error }: Answer<Data>) {
  if (error !== undefined) throw new StartupError(`The service answers ${error.code}: ${error.message}`);
  return data as NonNullable<Data>;
}

const positionIn = (positions: Round["positions"]) => positions.find((each) => each.token === token);

/** Names the pools that a trade took. */
const wayOf = ({ report }: Trade) =>
  (report?.route ?? []).map(({ venue, feeBps }) => `${venue} ${feeBps / 100} %`).join(" → ");

/** For example `eth: buy 0.5 → 4960.27 MOON by uniswap-v2 0.3 % in 3.2 s | sell 100 % → 0.497 by …`. */
function lineOf(chain: EvmChain, { buy, sell, positions }: Round): string {
  const short = (amount = "0") => Number(Number(amount).toPrecision(6));
  const bought = `buy ${short(buy.order.filledAmount)} → ${short(buy.order.receivedAmount)} MOON by ${wayOf(buy)}`;
  const sold = `sell 100 % → ${short(sell.order.receivedAmount)} by ${wayOf(sell)}`;
  return `${chain}: ${bought} in ${buy.seconds} s | ${sold} in ${sell.seconds} s | PnL ${short(positionIn(positions)?.realizedPnl)}`;
}

/** Names each point on which the chain and the service differ, by as little as a unit. */
export function disagreements({ before, between, after, buy, sell, positions, balances }: Round): string[] {
  const position = positionIn(positions);
  // MOON has as many decimals as the coins.
  const units = (amount = "0") => parseEther(amount);
  const [bought, sold] = [buy.order, sell.order];
  const fees = units(bought.networkFee) + units(sold.networkFee);
  const gain = units(sold.receivedAmount) - units(bought.filledAmount);
  const balance = (name: string) => units(balances.find((each) => each.token === name)?.amount);
  const inBlocks = [...buy.attempts, ...sell.attempts].filter(({ outcome }) =>
    /mined|reverted/.test(outcome),
  );
  const compared: [name: string, service: unknown, chain: unknown][] = [
    ["coins by the orders", before.coins + gain - fees, after.coins],
    ["tokens bought by the orders", before.tokens + units(bought.receivedAmount), between.tokens],
    ["tokens left by the orders", between.tokens - units(sold.filledAmount), after.tokens],
    ["coins by the balances", balance("native"), after.coins],
    ["tokens by the balances", balance(token), after.tokens],
    ["PnL of the position", units(position?.realizedPnl), gain],
    ["fees of the position", units(position?.networkFees), fees],
    ["amount of the position", units(position?.amount), 0n],
    ["cost of the position", units(position?.cost), 0n],
    ["transactions by the attempts", inBlocks.length, after.nonce - before.nonce],
    ["state of the position", position?.status, "closed"],
    ["finality of the position", position?.settled, true],
  ];
  const text = (value: unknown) => (typeof value === "bigint" ? coinText(bought.chain, value) : value);
  return compared
    .filter(([, service, chain]) => service !== chain)
    .map(([name, service, chain]) => `${name}: ${text(service)}, not ${text(chain)}`);
}
