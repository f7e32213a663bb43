import type { Address } from "@solana/web3.js";
import { startTestSurfnet, type TestSurfnet } from "trading-terminal-devnet/sol/test-surfnet";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { programs, wsolMint } from "../../../../lib/chains/sol/calls/addresses.ts";
import { cpmmConfigOf } from "../../../../lib/chains/sol/calls/cpmm-addresses.ts";
import { readFeeRates, readPool } from "../../../../lib/chains/sol/calls/cpmm-pool.ts";
import { type CpmmState, cpmmView } from "../../../../lib/chains/sol/calls/cpmm-view.ts";
import { accountsCall } from "../../../../lib/chains/sol/calls/rpc-call.ts";
import { paymentsOf, type TokenView, tokenViewCall } from "../../../../lib/chains/sol/calls/token-view.ts";

let chain: TestSurfnet;
beforeAll(async () => {
  chain = await startTestSurfnet();
});
afterAll(() => chain.stop());

type Name = keyof TestSurfnet["deployment"]["tokens"];

async function look(mint: Address, configs: readonly Address[]): Promise<TokenView | undefined> {
  const { method, params, read } = await tokenViewCall(
    mint,
    { cpmmConfigs: configs },
    { commitment: "finalized" },
  );
  return read(await chain.request(method, params));
}

const lookAt = async (name: Name) => {
  const { mint, config } = chain.deployment.tokens[name];
  return (await look(mint, [config])) as TokenView;
};

const coin = 10n ** 9n;

/** Reads the accounts of a token's pool. */
async function stateOf(name: Name): Promise<{ state: CpmmState }> {
  const { pool: address, config, vaults } = chain.deployment.tokens[name];
  const { method, params, read } = accountsCall([address, config, vaults.coin, vaults.token], {
    commitment: "finalized",
  });
  const { accounts } = read(await chain.request(method, params));
  const [poolData, configData, coins, tokens] = accounts.map((each) => each?.data ?? new Uint8Array());
  const pool = readPool(poolData ?? new Uint8Array());
  const rates = readFeeRates(configData ?? new Uint8Array());
  if (pool === undefined || rates === undefined) throw new Error("The chain has no such pool");
  const [held, other] = [coins, tokens].map((data) => Buffer.from(data ?? []).readBigUInt64LE(64));
  const amounts = [held ?? 0n, other ?? 0n] as const;
  const isCoinFirst = pool.sides[0].mint === wsolMint;
  const ordered = isCoinFirst ? amounts : ([amounts[1], amounts[0]] as const);
  return { state: { address, isUsual: true, pool, rates, held: ordered } };
}

describe("tokenViewCall", () => {
  it("shows a token, its name and its pool, all at one slot", async () => {
    const view = await lookAt("MOON");
    const { pool } = chain.deployment.tokens.MOON;
    expect(view).toMatchObject({
      claims: { symbol: "MOON", name: "Moon", decimals: 6n, totalSupply: 10n ** 15n },
      mint: { program: programs.token },
      pools: [{ address: pool, feeRate: 2500n }],
    });
    expect(view.slot).toBeGreaterThan(0);
    expect(Math.abs(Number(view.time) - Date.now() / 1000)).toBeLessThan(60);
    expect(view.pools[0]).toMatchObject({
      reserves: { coins: 500n * coin, tokens: 5n * 10n ** 12n },
      coins: 500n * coin,
      isOpen: true,
    });
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
    const { state } = await stateOf("FEEZ");
    const usual = cpmmView(state, view);
    const dear = cpmmView({ ...state, rates: { trade: 10_000n, creator: 0n } }, view);
    const closed = cpmmView({ ...state, pool: { ...state.pool, openTime: view.time + 1n } }, view);
    const stopped = cpmmView({ ...state, pool: { ...state.pool, allowsSwaps: false } }, view);
    const empty = cpmmView({ ...state, held: [0n, 0n] }, view);
    const pools = [dear, closed, stopped, empty, usual];
    const payments = paymentsOf({ pools }, "buy", coin);
    expect(payments.map(({ pool }) => pool)).toEqual([usual, dear]);
    // 10,000 for one coin, minus a fee of 0.25 %, a price impact of 1/500 and the token's fee of 1 %.
    expect(Number(payments[0]?.amountOut) / 1e6).toBeCloseTo(9855.6, 0);
    const [sold] = paymentsOf(view, "sell", 10n ** 10n);
    expect(Number(sold?.amountOut) / 1e9).toBeCloseTo(0.9856, 3);
  });

  it("uses a pool only from its opening time on", async () => {
    const view = await lookAt("MOON");
    const { state } = await stateOf("MOON");
    const opened = cpmmView({ ...state, pool: { ...state.pool, openTime: view.time } }, view);
    expect(paymentsOf({ pools: [opened] }, "buy", coin)).toHaveLength(1);
  });
});
