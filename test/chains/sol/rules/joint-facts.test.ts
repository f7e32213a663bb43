import { describe, expect, it } from "vitest";
import { jointSolQuote } from "../../../../lib/chains/sol/rules/joint-facts.ts";
import type { SolTradeFacts } from "../../../../lib/chains/sol/rules/trade-facts.ts";
import { DomainError } from "../../../../lib/core/domain-error.ts";
import { solFacts, solRoute } from "../../../support/sol-facts.ts";

/** Facts of a host whose best pools pay these amounts. */
const paying = (...outs: readonly [bigint, ...bigint[]]): SolTradeFacts => ({
  ...solFacts,
  amountOut: outs[0],
  routes: outs.map((out, index) => solRoute(`${index}`, out)) as unknown as SolTradeFacts["routes"],
});

const joint = (a: SolTradeFacts, b: SolTradeFacts, slippage = 1) => {
  const [one, other] = [jointSolQuote(a, b, slippage), jointSolQuote(b, a, slippage)];
  expect(other === undefined).toBe(one === undefined);
  return one as SolTradeFacts | undefined;
};

describe("jointSolQuote", () => {
  it("uses the higher output if the outputs differ by at most a quarter of the slippage", () => {
    expect(joint(paying(1_000_000n), paying(997_500n))).toMatchObject({
      amountOut: 1_000_000n,
      routes: [{ pool: "0", amountOut: 1_000_000n }],
    });
    expect(joint(paying(1_000_000n), paying(997_499n))).toBeUndefined();
    expect(joint(paying(1_000_000n), paying(997_499n), 1.0004)).toMatchObject({ amountOut: 1_000_000n });
    expect(joint(paying(4n), paying(3n), 100)).toMatchObject({ amountOut: 4n });
    expect(joint(paying(5n), paying(3n), 100)).toBeUndefined();
  });

  it("requires slots that are at most 40 apart", () => {
    expect(joint(solFacts, { ...solFacts, slot: 140 })).toBeDefined();
    expect(joint(solFacts, { ...solFacts, slot: 141 })).toBeUndefined();
  });

  it.each<[string, Partial<SolTradeFacts>]>([
    ["amount", { amount: 2n }],
    ["program", { mint: { ...solFacts.mint, program: "token-2022" } }],
    ["number of decimals", { mint: { ...solFacts.mint, decimals: 7 } }],
    ["fee of the token", { mint: { ...solFacts.mint, transferFeeBps: 1 } }],
    ["flag of the mint", { mint: { ...solFacts.mint, flags: ["SEIZABLE"] } }],
    ["balance", { held: { coins: 9_999_999_999n, tokens: 0n } }],
  ])("requires both hosts to have the same %s", (_, changes) => {
    expect(joint(solFacts, { ...solFacts, ...changes })).toBeUndefined();
  });

  it("leaves out a pool that only one host knows, or that pays much more at one host", () => {
    const [a, b] = [paying(1_000n, 999n), paying(1_000n)];
    expect(joint(a, b)?.routes).toEqual([solRoute("0", 1_000n)]);
    expect(joint(paying(1_000n, 900n), paying(1_000n, 990n))?.routes).toEqual([solRoute("0", 1_000n)]);
    const cheaper = { ...solRoute("1", 999n), feeBps: 1 };
    expect(joint(a, { ...b, routes: [solRoute("0", 1_000n), cheaper] })?.routes).toHaveLength(1);
  });

  it("prevents a host from hiding the best pool behind a worse one", () => {
    const rich: SolTradeFacts = {
      ...solFacts,
      amountOut: 1_000_000n,
      routes: [solRoute("rich", 1_000_000n), solRoute("poor", 900_000n)],
    };
    const poor: SolTradeFacts = { ...solFacts, amountOut: 900_000n, routes: [solRoute("poor", 900_000n)] };
    expect(joint(rich, poor)).toBeUndefined();
    // Covers a host that also claims an equal output for another pool.
    const other: SolTradeFacts = {
      ...poor,
      amountOut: 1_000_000n,
      routes: [solRoute("false", 1_000_000n), ...poor.routes],
    };
    expect(joint(rich, other)).toBeUndefined();
  });

  it("computes the minimum from the greatest output of all pools", () => {
    const a: SolTradeFacts = { ...paying(1_000_000n, 999_000n) };
    const b: SolTradeFacts = {
      ...solFacts,
      amountOut: 999_500n,
      routes: [solRoute("1", 999_500n)],
    };
    expect(joint(a, b)).toMatchObject({
      amountOut: 1_000_000n,
      routes: [{ pool: "1", amountOut: 999_500n }],
    });
  });

  it("uses the higher of both hosts' costs and the worse of their findings about the token", () => {
    const known = (sellable: boolean | null): SolTradeFacts => ({
      ...solFacts,
      safety: { ...solFacts.safety, sellable },
      flags: sellable === false ? ["CANNOT_SELL"] : sellable === null ? ["SELLABILITY_UNKNOWN"] : [],
    });
    expect(joint(known(true), known(false))).toMatchObject({ flags: ["CANNOT_SELL"] });
    expect(joint(known(null), known(false))?.safety.sellable).toBe(false);
    expect(joint(known(null), known(true))).toMatchObject({ safety: { sellable: true }, flags: [] });
    expect(joint(known(null), known(null))?.safety.sellable).toBeNull();
    const dear = { ...solFacts, costs: { ...solFacts.costs, computeUnitLimit: 160_000 } };
    expect(joint(solFacts, dear)?.costs.computeUnitLimit).toBe(160_000);
  });

  it("returns a refusal only if both hosts refuse for the same reason", () => {
    const [route, token] = [new DomainError("NO_ROUTE", "No"), new DomainError("TOKEN_NOT_FOUND", "No")];
    expect(jointSolQuote(route, new DomainError("NO_ROUTE", "No pool"), 1)).toBe(route);
    for (const other of [token, solFacts, undefined]) {
      expect(jointSolQuote(route, other, 1)).toBeUndefined();
      expect(jointSolQuote(other, route, 1)).toBeUndefined();
    }
    expect(jointSolQuote(undefined, solFacts, 1)).toBeUndefined();
  });

  describe("jointSolQuote with Jupiter", () => {
    const jupiter = (amountOut: bigint) => ({ venue: "jupiter-metis", amountOut }) as const;
    const byPools = { ...solFacts, routes: [solRoute("a", 1_000_000n)] } as const;
    const withJupiter = (amountOut: bigint): SolTradeFacts => ({
      ...solFacts,
      amountOut,
      byPools,
      routes: [jupiter(amountOut), solRoute("a", 1_000_000n)],
    });

    it("uses Jupiter if both hosts show about the same output", () => {
      const joint = jointSolQuote(withJupiter(1_100_000n), withJupiter(1_100_001n), 1);
      expect(joint).toMatchObject({ amountOut: 1_100_001n, routes: [jupiter(1_100_001n), { pool: "a" }] });
      expect(joint).not.toHaveProperty("byPools");
    });

    it.each<[string, SolTradeFacts]>([
      ["does not show it", solFacts],
      ["shows twice as much", withJupiter(2_200_000n)],
    ])("falls back to the pools if one host %s", (_, other) => {
      for (const [a, b] of [
        [withJupiter(1_100_000n), other],
        [other, withJupiter(1_100_000n)],
      ] as const)
        expect(jointSolQuote(a, b, 1)).toMatchObject({ amountOut: 1_000_000n, routes: [{ pool: "a" }] });
    });

    it("explains why no pool can trade if only one host gets an output from Jupiter", () => {
      const none = new DomainError("NO_ROUTE", "none");
      const alone = { ...withJupiter(1_100_000n), byPools: none };
      expect(jointSolQuote(alone, none, 1)).toMatchObject({ code: "NO_ROUTE" });
      expect(jointSolQuote(none, alone, 1)).toMatchObject({ code: "NO_ROUTE" });
      expect(jointSolQuote(alone, undefined, 1)).toBeUndefined();
    });
  });
});
