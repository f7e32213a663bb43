import type { Address } from "@solana/web3.js";
import bs58 from "bs58";
import { ChainRefusal } from "trading-terminal-devnet/chain-refusal";
import { beforeAll, describe, expect, it } from "vitest";
import { identifyToken } from "../../../lib/chains/families/token.ts";
import { programs, wsolMint } from "../../../lib/chains/sol/calls/addresses.ts";
import type { SolConfiguration } from "../../../lib/chains/sol/rules/configuration.ts";
import { inspectToken } from "../../../lib/trading/inspect-token.ts";
import { listTokens } from "../../../lib/trading/list-tokens.ts";
import { quotedAt as now } from "../../support/quotes.ts";
import { solChainsOf, solDeskForTests } from "../../support/sol-reader.ts";
import { addMint, addPool } from "../../support/sol-tokens.ts";

const { chain, hosts } = solDeskForTests();
let payer: Address;
beforeAll(async () => {
  payer = (await chain.newWallet(10n ** 12n)).address;
});

async function inspect(token: string, changes: Partial<SolConfiguration> = { payer }) {
  const chains = await solChainsOf(chain, [hosts[0]], changes);
  return (await inspectToken(chains, { chain: "sol", token, now })).token;
}

describe("listTokens", () => {
  it("lists the coin and tokens of sol", async () => {
    const { tokens } = listTokens(await solChainsOf(chain, [hosts[0]]), "sol");
    expect(tokens).toEqual([
      { chain: "sol", token: "native", symbol: "SOL", name: "Solana", decimals: 9 },
      { chain: "sol", token: chain.deployment.tokens.MOON.mint, symbol: "MOON", name: "Moon", decimals: 6 },
      { chain: "sol", token: wsolMint, symbol: "WSOL", name: "Wrapped SOL", decimals: 9, wrapped: true },
    ]);
  });
});

describe("identifyToken on sol", () => {
  const identify = async (token: string) => {
    const reader = (await solChainsOf(chain, [hosts[0]])).get("sol");
    if (reader === undefined) throw new Error("sol does not trade");
    return identifyToken(reader, token);
  };

  it("describes both listed and unlisted mints", async () => {
    const { MOON, FEEZ } = chain.deployment.tokens;
    expect(await identify(MOON.mint)).toMatchObject({ symbol: "MOON", decimals: 6, isListed: true });
    expect(await identify(FEEZ.mint)).toMatchObject({ symbol: "FEEZ", isListed: false });
  });

  it("finds no mint at accounts of other kinds or at empty addresses", async () => {
    for (const address of [payer, programs.token, bs58.encode(Buffer.alloc(32, 7))])
      await expect(identify(address)).rejects.toMatchObject({ code: "TOKEN_NOT_FOUND" });
  });
});

describe("inspectToken on sol", () => {
  it("describes a listed token and its pool", async () => {
    const { mint, pool } = chain.deployment.tokens.MOON;
    const { block, ...token } = await inspect(mint);
    expect(token).toEqual({
      chain: "sol",
      token: mint,
      symbol: "MOON",
      name: "Moon",
      decimals: 6,
      listed: true,
      sellable: true,
      buyTax: 0,
      sellTax: 0,
      flags: [],
      pools: [{ venue: "raydium-cpmm", pool, feeBps: 25, liquidity: "500" }],
      asOf: now.toISOString(),
    });
    expect(block).toBeGreaterThan(0);
  });

  it("returns a token's exact fee, and simulates its sale", async () => {
    expect(await inspect(chain.deployment.tokens.FEEZ.mint)).toMatchObject({
      symbol: "FEEZ",
      listed: false,
      sellable: true,
      buyTax: 1,
      sellTax: 1,
      flags: ["NOT_LISTED", "TAXED"],
    });
  });

  it("warns about a token whose accounts are frozen by default", async () => {
    const { mint } = chain.deployment.tokens.TRAP;
    const flags = ["NOT_LISTED", "CANNOT_SELL", "FREEZABLE", "FROZEN_BY_DEFAULT"];
    expect(await inspect(mint)).toMatchObject({ symbol: "TRAP", sellable: false, flags });
    expect(await inspect(mint, {})).toMatchObject({ sellable: false, flags });
  });

  it.each<[string, Partial<SolConfiguration>]>([
    ["no payer is configured", {}],
    ["the payer has no account", { payer: bs58.encode(Buffer.alloc(32, 7)) }],
  ])("returns null for sellable if %s", async (_, changes) => {
    const { sellable, buyTax, flags } = await inspect(chain.deployment.tokens.FEEZ.mint, changes);
    expect({ sellable, buyTax, flags }).toEqual({
      sellable: null,
      buyTax: 1,
      flags: ["NOT_LISTED", "TAXED", "SELLABILITY_UNKNOWN"],
    });
  });

  it("returns null for sellable if the host cannot simulate", async () => {
    hosts[0].lie = (method, result) => {
      if (method === "simulateTransaction")
        throw new ChainRefusal(method, { code: -32601, message: "Method not found" });
      return result;
    };
    expect(await inspect(chain.deployment.tokens.MOON.mint)).toMatchObject({ sellable: null });
  });

  it("reports a token whose sale the pool refuses", async () => {
    const mint = await addMint(chain, 6);
    await addPool(chain, { mint, coins: 10n ** 12n, tokens: 10n ** 12n });
    hosts[0].lie = (method, result) =>
      method === "simulateTransaction"
        ? {
            context: { slot: 1 },
            value: { err: { InstructionError: [6, { Custom: 17 }] }, unitsConsumed: 9 },
          }
        : result;
    expect(await inspect(mint)).toMatchObject({
      sellable: false,
      flags: ["NOT_LISTED", "ODD_METADATA", "CANNOT_SELL"],
    });
    hosts[0].lie = (method, result) =>
      method === "simulateTransaction"
        ? { context: { slot: 1 }, value: { err: { InstructionError: [4, "Custom"] }, unitsConsumed: 9 } }
        : result;
    expect(await inspect(mint)).toMatchObject({ sellable: null });
  });

  it("sorts pools by depth, and warns about little liquidity", async () => {
    const mint = await addMint(chain, 6);
    const shallow = await addPool(chain, { mint, index: 0, coins: 999_999_999n, tokens: 10n ** 9n });
    expect((await inspect(mint)).flags).toContain("LOW_LIQUIDITY");
    const deep = await addPool(chain, { mint, index: 1, fee: 10_050n, coins: 10n ** 9n, tokens: 10n ** 9n });
    const { pools, flags } = await inspect(mint);
    expect(flags).not.toContain("LOW_LIQUIDITY");
    expect(pools).toEqual([
      { venue: "raydium-cpmm", pool: deep, feeBps: 100.5, liquidity: "1" },
      { venue: "raydium-cpmm", pool: shallow, feeBps: 25, liquidity: "0.999999999" },
    ]);
  });

  it("lists the rights that a mint of Token-2022 grants", async () => {
    const [nobody, somebody] = [Buffer.alloc(32), Buffer.alloc(32, 7)];
    const mint = await addMint(chain, 6, [
      [12, somebody],
      [14, Buffer.concat([nobody, somebody])],
      [26, Buffer.concat([somebody, Buffer.of(0)])],
    ]);
    const flags = ["NOT_LISTED", "ODD_METADATA", "SELLABILITY_UNKNOWN", "LOW_LIQUIDITY"];
    expect(await inspect(mint)).toMatchObject({
      flags: [...flags, "HOOKED", "SEIZABLE", "PAUSABLE"],
      pools: [],
    });
  });

  it.each([0, 9, 36])("supports tokens with %d decimals", async (decimals) => {
    expect(await inspect(await addMint(chain, decimals))).toMatchObject({ decimals });
  });

  it("shows the wrapped coin without pools", async () => {
    expect(await inspect(wsolMint)).toMatchObject({
      symbol: "WSOL",
      wrapped: true,
      listed: true,
      flags: [],
      pools: [],
    });
  });

  it("finds no token at addresses that are not mints, or at mints with too many decimals", async () => {
    const { pool, vaults } = chain.deployment.tokens.MOON;
    const { address } = await chain.newWallet();
    const odd = await addMint(chain, 37);
    const absurd = await addMint(chain, 255);
    for (const other of [pool, vaults.token, programs.token, address, odd, absurd])
      await expect(inspect(other)).rejects.toMatchObject({ code: "TOKEN_NOT_FOUND" });
  });

  it.each([
    ["31 bytes", bs58.encode(Buffer.alloc(31, 7))],
    ["33 bytes", bs58.encode(Buffer.alloc(33, 7))],
    ["the other family", `0x${"1".repeat(40)}`],
  ])("rejects an address of %s", async (_, token) => {
    await expect(inspect(token)).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      details: { field: "token" },
    });
  });

  it("fails if no host belongs to the configured cluster", async () => {
    const inspected = inspect(chain.deployment.tokens.MOON.mint, {
      cluster: "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
    });
    await expect(inspected).rejects.toThrow("No host of sol answers");
  });
});
