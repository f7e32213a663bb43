import { startSolTrader } from "trading-terminal-devnet/sol/sol-trader";
import { describe, expect, it, vi } from "vitest";
import { compare, zero } from "../../../lib/core/decimal.ts";
import { swapCounter } from "../../../lib/markets/sol/count-swaps.ts";
import { SolTokenFinder } from "../../../lib/markets/sol/find-tokens.ts";
import { poolLooks } from "../../../lib/markets/sol/look-at-pools.ts";
import type { SolPool } from "../../../lib/markets/sol/pools.ts";
import type { PoolSighting } from "../../../lib/markets/sol/rules/witnesses.ts";
import { solDeskForTests, solReaderOf } from "../../support/sol-reader.ts";

const { chain, hosts } = solDeskForTests();

const patience = { timeout: 30_000, interval: 50 };

/** Reads MOON's pool until the trader has made this many swaps, and returns the first and the last state. */
async function traded(count: number): Promise<{ pool: SolPool; samples: PoolSighting[] }> {
  const reader = await solReaderOf(chain, hosts);
  const { mint } = chain.deployment.tokens.MOON;
  const pool = (await new SolTokenFinder(reader).find([mint])).get(mint)?.pools[0] ?? expect.fail("no pool");
  const look = poolLooks(reader);
  const sight = async () => (await look([pool]))[0]?.pools.get(pool.pool) ?? expect.fail("no state");
  const first = await sight();
  const signatures = async () =>
    ((await chain.request("getSignaturesForAddress", [pool.pool])) as { slot: number }[]).filter(
      ({ slot }) => slot > first.slot,
    ).length;
  const trader = startSolTrader({
    chain,
    watched: async () => [{ chain: "sol", token: mint }],
    onFailure: (error) => expect.unreachable(String(error)),
    everyMs: 100,
  });
  await vi.waitFor(async () => expect(await signatures()).toBeGreaterThanOrEqual(count), patience);
  await trader.stop();
  const all = await signatures();
  await vi.waitFor(async () => expect(await signatures()).toBe(all), patience);
  const last = await sight();
  // Waits until transactions are final, because only final ones are listed and opened.
  await vi.waitFor(async () => {
    const final = await chain.request("getSlot", [{ commitment: "finalized" }]);
    expect(final).toBeGreaterThan(last.slot);
  }, patience);
  return { pool, samples: [first, last] };
}

describe("swapCounter", () => {
  it("counts the swaps between two states by opening them, and only what two hosts agree on", async () => {
    const { pool, samples } = await traded(5);
    const opened: string[] = [];
    hosts[0].lie = (method, result, params) => {
      if (method === "getTransaction") opened.push(String(params[0]));
      return result;
    };
    const count = swapCounter(await solReaderOf(chain, hosts));
    const sums = await count(pool, samples);
    expect(sums?.trades).toBe(opened.length);
    expect(sums?.trades).toBeGreaterThanOrEqual(5);
    expect(compare(sums?.volume ?? zero, zero)).toBe(1);

    hosts[1].lie = (method, result) =>
      method === "getSignaturesForAddress" ? (result as unknown[]).slice(1) : result;
    expect(await count(pool, samples)).toBeUndefined();
    hosts[1].lie = (method, result) => {
      if (method !== "getTransaction") return result;
      const found = structuredClone(result) as {
        meta: { postTokenBalances: { uiTokenAmount: { amount: string } }[] };
      };
      for (const { uiTokenAmount } of found.meta.postTokenBalances) uiTokenAmount.amount += "0";
      return found;
    };
    expect(await count(pool, samples)).toBeUndefined();
    hosts[1].lie = () => {
      throw new Error("no answer");
    };
    expect(await count(pool, samples)).toBeUndefined();
    const alone = swapCounter(await solReaderOf(chain, [hosts[0]]));
    expect(await alone(pool, samples)).toEqual(sums);
  });
});
