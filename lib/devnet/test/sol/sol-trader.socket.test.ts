import type { Address } from "@solana/web3.js";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { type Move, moveInSteps, pushForBlock } from "../../local-market.ts";
import { readAccounts } from "../../sol/made-accounts.ts";
import { mintsOf, openSolMarket } from "../../sol/sol-market.ts";
import { startSolTrader } from "../../sol/sol-trader.ts";
import { startTestSurfnet, type TestSurfnet } from "../../sol/test-surfnet.ts";

let chain: TestSurfnet;
beforeAll(async () => {
  chain = await startTestSurfnet();
});
afterAll(() => chain?.stop());

const waiting = { timeout: 30_000, interval: 20 };

const trades = async () => {
  const { pool } = chain.deployment.tokens.MOON;
  return (await chain.request("getSignaturesForAddress", [pool])) as { err: unknown }[];
};

/** Starts a trader while somebody watches this token. */
function started(token: string) {
  const watched = vi.fn(async () => [{ chain: "sol", token }]);
  const onFailure = vi.fn();
  const trader = startSolTrader({ chain, watched, onFailure, everyMs: 20 });
  onTestFinished(() => trader.stop());
  return { watched, onFailure };
}

describe("openSolMarket", () => {
  const request: TestSurfnet["request"] = (method, params) => chain.request(method, params);
  const marketOf = (symbol: string) =>
    openSolMarket(request, chain.deployment, mintsOf(chain.deployment).get(symbol) ?? "");

  async function last(moves: AsyncGenerator<Move>): Promise<number[]> {
    const slots = [];
    for await (const { block } of moves) slots.push(block);
    return slots;
  }

  /** Reads numbers in accounts, by their places, and the accounts' lamports. */
  async function numbersAt(accounts: readonly (readonly [address: Address, at: number])[]) {
    const found = await readAccounts(
      request,
      accounts.map(([address]) => address),
    );
    return found.map((each, index) => ({
      units: each?.data.readBigUInt64LE(accounts[index]?.[1]) ?? 0n,
      lamports: BigInt(each?.lamports ?? 0),
    }));
  }

  it.each(["MOON", "GRAD"] as const)("moves the vaults of %s, and keeps their product", async (symbol) => {
    const { tokens, pump } = chain.deployment;
    const { coin, token } = (symbol === "MOON" ? tokens.MOON : pump.pools.GRAD).vaults;
    const read = () =>
      numbersAt([
        [coin, 64],
        [token, 64],
      ]);
    const [coins, units] = await read();
    await last(moveInSteps(await marketOf(symbol), 1.44));
    const [movedCoins, movedUnits] = await read();
    const ratio = (one = coins, other = coins) => Number(one?.units) / Number(other?.units);
    expect(ratio(movedCoins, coins)).toBeCloseTo(1.2, 9);
    expect(ratio(movedUnits, units)).toBeCloseTo(1 / 1.2, 9);
    // An account of wrapped coins has them as lamports, above its rent.
    expect((movedCoins?.lamports ?? 0n) - (movedCoins?.units ?? 0n)).toBe(
      (coins?.lamports ?? 0n) - (coins?.units ?? 0n),
    );
    expect(movedUnits?.lamports).toBe(units?.lamports);
  });

  it("moves the virtual reserves of a curve, and keeps what it really holds", async () => {
    const { curve } = chain.deployment.pump.curves.BEND;
    const read = () => numbersAt([8, 16, 24, 32].map((at) => [curve, at] as const));
    const before = await read();
    await last(moveInSteps(await marketOf("BEND"), 0.81));
    const after = await read();
    const changes = after.map(({ units }, index) => Number(units) / Number(before[index]?.units));
    expect(changes.map((change) => change.toFixed(9))).toEqual([
      (1 / 0.9).toFixed(9),
      "0.900000000",
      "1.000000000",
      "1.000000000",
    ]);
    expect(after[0]?.lamports).toBe(before[0]?.lamports);
  });

  it("moves the pool of a token that only Jupiter trades, and all pools of one that several trade", async () => {
    expect((await marketOf("ORBIT")).pools).toMatchObject([
      { pool: "jupiter", price: expect.closeTo(0.000098, 6) },
    ]);
    expect((await marketOf("MOON")).pools.map(({ pool }) => pool)).toEqual(["raydium-cpmm", "jupiter"]);
  });

  it("pushes for slots, and restores the price", async () => {
    const { coin } = chain.deployment.tokens.FEEZ.vaults;
    const [before] = await numbersAt([[coin, 64]]);
    const [pushed = 0, restored = 0] = await last(pushForBlock(await marketOf("FEEZ"), 0.5));
    expect(restored).toBeGreaterThan(pushed);
    const [after] = await numbersAt([[coin, 64]]);
    expect(Number(after?.units) / Number(before?.units)).toBeCloseTo(1, 9);
  });
});

describe("the random trader of sol", () => {
  it("sends nothing while nobody watches its token", async () => {
    const { watched, onFailure } = started(chain.deployment.tokens.FEEZ.mint);
    await vi.waitFor(() => expect(watched.mock.calls.length).toBeGreaterThan(5), waiting);
    expect([await trades(), onFailure.mock.calls]).toEqual([[], []]);
  });

  it("buys and sells its token while somebody watches it", async () => {
    const { onFailure } = started(chain.deployment.tokens.MOON.mint);
    await vi.waitFor(async () => expect((await trades()).length).toBeGreaterThan(10), waiting);
    expect((await trades()).filter(({ err }) => err !== null)).toEqual([]);
    expect(onFailure).not.toHaveBeenCalled();
  });
});
