import type { Address } from "@solana/web3.js";
import { startTestSurfnet, type TestSurfnet } from "trading-terminal-devnet/sol/test-surfnet";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { programs, wsolMint } from "../../../../lib/chains/sol/calls/addresses.ts";
import { cpmmConfigOf } from "../../../../lib/chains/sol/calls/cpmm-addresses.ts";
import {
  type PoolView,
  paymentsOf,
  type TokenView,
  tokenViewCall,
} from "../../../../lib/chains/sol/calls/token-view.ts";

let chain: TestSurfnet;
beforeAll(async () => {
  chain = await startTestSurfnet();
});
afterAll(() => chain.stop());

type Name = keyof TestSurfnet["deployment"]["tokens"];

async function look(mint: Address, configs: readonly Address[]): Promise<TokenView | undefined> {
  const { method, params, read } = await tokenViewCall(mint, configs, { commitment: "confirmed" });
  return read(await chain.request(method, params));
}

const lookAt = async (name: Name) => {
  const { mint, config } = chain.deployment.tokens[name];
  return (await look(mint, [config])) as TokenView;
};

const coin = 10n ** 9n;

describe("tokenViewCall", () => {
  it("shows a token, its name and its pool, all at one slot", async () => {
    const view = await lookAt("MOON");
    const { pool } = chain.deployment.tokens.MOON;
    expect(view).toMatchObject({
      claims: { symbol: "MOON", name: "Moon", decimals: 6n, totalSupply: 10n ** 15n },
      mint: { program: programs.token },
      pools: [{ address: pool, rates: { trade: 2500n, creator: 0n } }],
    });
    expect(view.slot).toBeGreaterThan(0);
    expect(Math.abs(Number(view.time) - Date.now() / 1000)).toBeLessThan(60);
    const [{ pool: state, held }] = view.pools as [PoolView];
    const isCoinFirst = state.sides[0].mint === wsolMint;
    expect(isCoinFirst ? held : held.toReversed()).toEqual([500n * coin, 5n * 10n ** 12n]);
  });

  it("shows the properties of Token-2022", async () => {
    expect(await lookAt("FEEZ")).toMatchObject({
      claims: { symbol: "FEEZ", name: "Feez" },
      mint: { program: programs.token2022, transferFees: [{ bps: 100 }, { bps: 100 }] },
    });
    const { mint } = await lookAt("TRAP");
    expect(mint).toMatchObject({ isDefaultFrozen: true, freezeAuthority: chain.deployment.tokens.TRAP.mint });
  });

  it("leaves out fee configurations without a pool", async () => {
    const { mint, config } = chain.deployment.tokens.MOON;
    const view = await look(mint, [await cpmmConfigOf(7), config, config]);
    expect(view?.pools).toHaveLength(2);
    expect(view?.configs).toEqual([config]);
    expect((await look(mint, []))?.pools).toEqual([]);
  });

  it("returns undefined for an address that is not a mint", async () => {
    const { pool, vaults } = chain.deployment.tokens.MOON;
    const { address } = await chain.newWallet();
    for (const other of [programs.token, pool, vaults.token, address])
      expect(await look(other, [])).toBeUndefined();
  });
});

describe("paymentsOf", () => {
  it("sorts paying pools by the amount that arrives", async () => {
    const view = await lookAt("FEEZ");
    const [usual] = view.pools as [PoolView];
    const dear: PoolView = { ...usual, rates: { trade: 10_000n, creator: 0n } };
    const closed: PoolView = { ...usual, pool: { ...usual.pool, openTime: view.time + 1n } };
    const empty: PoolView = { ...usual, held: [0n, 0n] };
    const payments = paymentsOf({ ...view, pools: [dear, closed, empty, usual] }, "buy", coin);
    expect(payments.map(({ pool }) => pool)).toEqual([usual, dear]);
    // 10,000 for one coin, minus a fee of 0.25 %, a price impact of 1/500 and the token's fee of 1 %.
    expect(Number(payments[0]?.amountOut) / 1e6).toBeCloseTo(9855.6, 0);
    const [sold] = paymentsOf(view, "sell", 10n ** 10n);
    expect(Number(sold?.amountOut) / 1e9).toBeCloseTo(0.9856, 3);
  });

  it("uses a pool only from its opening time on", async () => {
    const view = await lookAt("MOON");
    const opened = view.pools.map((each) => ({ ...each, pool: { ...each.pool, openTime: view.time } }));
    expect(paymentsOf({ ...view, pools: opened }, "buy", coin)).toHaveLength(1);
  });
});
