/**
 * `npm run bench:routes` compares the processor time of quotes through two pools with that of quotes through one, and
 * measures the gas of a swap by each shape of route. It fails if a quote through two pools takes over 1.3 times as long.
 */
import type { QuoteRequest } from "../../lib/api/quote-schema.ts";
import { localAddresses } from "../../lib/tools/dev/chains/deployment.ts";
import { approval } from "../../lib/tools/dev/chains/uniswap.ts";
import { askTogether } from "../../lib/trading/chains/ask-together.ts";
import { encodeCall } from "../../lib/trading/chains/evm/calldata.ts";
import { type PoolRoute, poolCalls, poolRoutesOf } from "../../lib/trading/chains/evm/pool-routes.ts";
import type { EvmReader } from "../../lib/trading/chains/open-chains.ts";
import { kindOf, poolsOf, swapBy } from "../../lib/trading/core/intent.ts";
import type { EvmChain } from "../../lib/trading/core/trading-chain.ts";
import { quoteTrade } from "../../lib/trading/quotes/quote-trade.ts";
import { readerOf } from "../support/chain-reader.ts";
import { alice, startTestChain, type TestChain } from "../support/local-chain.ts";
import { traderOf } from "../support/quotes.ts";
import { intent } from "../support/trading.ts";
import { machine } from "./report.ts";
import { percentile } from "./statistics.ts";
import { figure, textTable } from "./text-table.ts";

const { moon, star, comet, usdx } = localAddresses;
const mostRatio = 1.3;
const rounds = 15;
const quotesPerRound = 20;
const wallet = alice.address;
const spent = 10n ** 17n;

type Case = { name: string; reader: EvmReader; token: string };

/** Returns the milliseconds of processor time that each quote of a case takes, in rounds of all cases in turn. */
async function timesOf(cases: readonly Case[], { chain }: TestChain): Promise<number[]> {
  const asked = { chain, side: "buy", amount: "0.1", wallet } as const satisfies Partial<QuoteRequest>;
  const times = cases.map((): number[] => []);
  for (let round = -2; round < rounds; round++)
    for (const [index, { reader, token }] of cases.entries()) {
      const before = process.cpuUsage();
      for (let count = 0; count < quotesPerRound; count++)
        await quoteTrade(reader, { ...asked, token }, traderOf(), new Date());
      const { user, system } = process.cpuUsage(before);
      if (round >= 0) times[index]?.push((user + system) / 1000 / quotesPerRound);
    }
  return times.map((each) => percentile(each, 50));
}

const shapeOf = (route: PoolRoute) => poolsOf(route).map(kindOf).join(", ");

/** Measures a purchase and a sale by each shape of route that the chain has, in gas. */
async function gasOf(chain: TestChain): Promise<Map<string, readonly [buy: number, sell: number]>> {
  const { configuration, client } = readerOf(chain);
  const gas = new Map<string, readonly [number, number]>();
  for (const token of [moon, star, comet, usdx]) {
    const calls = poolCalls(configuration, token, [{ side: "buy", amountIn: spent }], "latest");
    const { answers } = await askTogether(client.read, { answers: calls });
    const [routes = []] = poolRoutesOf(answers).routes;
    for (const route of routes) {
      if (gas.has(shapeOf(route))) continue;
      await chain.restore();
      const swap = async (side: "buy" | "sell", amount: bigint) => {
        const order = intent({ wallet, token, side, amount, minAmountOut: 1n, validUntil: 2 ** 32 - 1 });
        const call = encodeCall(configuration, swapBy(order, route, amount), wallet);
        const { status, gasUsed } = await chain.transact({ from: wallet, ...call });
        if (status !== "0x1") throw new Error(`A swap failed: ${side} by ${shapeOf(route)}`);
        return Number(gasUsed);
      };
      // The wallet's first purchase would also pay for the slot of its balance.
      await swap("buy", spent);
      const bought = await swap("buy", spent);
      await chain.transact({ from: wallet, to: token, data: approval(token, route.router).data });
      gas.set(shapeOf(route), [bought, await swap("sell", route.amountOut)]);
    }
  }
  return gas;
}

async function run(name: EvmChain): Promise<number> {
  const chain = await startTestChain({ chain: name });
  try {
    const reader = readerOf(chain);
    const direct = { ...reader, configuration: { ...reader.configuration, quoteTokens: [] } };
    const cases = [
      { name: "through one pool, without quote tokens", reader: direct, token: moon },
      { name: "through one pool", reader, token: moon },
      { name: "through two pools", reader, token: star },
    ];
    const times = await timesOf(cases, chain);
    const [, one = Number.NaN, two = Number.NaN] = times;
    const rows = times.map((time, index) => [
      cases[index]?.name ?? "",
      `${figure(time)} ms`,
      figure(time / one),
    ]);
    console.log(`\n${textTable([`Processor time of a quote on ${name}`, "p50", "Of one pool"], rows)}`);
    const gas = [...(await gasOf(chain))].map(([shape, used]) => [shape, ...used.map(figure)]);
    console.log(`\n${textTable([`Gas of a swap on ${name}, from the coin`, "buy", "sell"], gas)}`);
    return two / one;
  } finally {
    await chain.close();
  }
}

console.log(machine());
const ratios = [await run("base"), await run("avax")];
const worst = Math.max(...ratios);
console.log(
  `\nA quote through two pools takes ${figure(worst)} times the processor time of one through one pool, and may take ${mostRatio}`,
);
if (!(worst <= mostRatio)) process.exitCode = 1;
