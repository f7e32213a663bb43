import { describe, expect, it } from "vitest";
import { isSameTrial, type TradeTrial } from "../../../../lib/chains/sol/quotes/trade-trial.ts";
import type { PoolMessageRoute } from "../../../../lib/chains/sol/rules/message-route.ts";
import { solKey } from "../../../support/sol-terms.ts";

const keyOf = (name: string) => solKey(name).address;

const routeBy = (pool: string): PoolMessageRoute => ({
  route: { venue: "raydium-cpmm", pool: keyOf(pool), config: keyOf("config") },
});

const trip = {
  payer: keyOf("payer"),
  routes: { buy: routeBy("pool"), sell: routeBy("pool") },
  bought: 8n,
};

const trial: TradeTrial = {
  terms: {
    wallet: keyOf("wallet"),
    mint: keyOf("mint"),
    tokenProgram: keyOf("program"),
    rents: { marker: 1n, wsol: 2n },
    side: "buy",
    amountIn: 1n,
  },
  isTried: true,
  accountBytes: 165,
  best: { routed: routeBy("pool"), written: [keyOf("pool")], opened: [] },
  trip,
};

const { trip: _, ...withoutTrip } = trial;

describe("isSameTrial", () => {
  it.each<[string, TradeTrial, boolean]>([
    ["the same", structuredClone(trial), true],
    ["one that brings more tokens", { ...trial, trip: { ...trip, bought: 16n } }, true],
    ["one that brings half as many tokens", { ...trial, trip: { ...trip, bought: 4n } }, true],
    ["one that brings a quarter of the tokens", { ...trial, trip: { ...trip, bought: 2n } }, false],
    ["one without a purchase and sale", withoutTrip, false],
    [
      "one that sells elsewhere",
      { ...trial, trip: { ...trip, routes: { ...trip.routes, sell: routeBy("other") } } },
      false,
    ],
    ["one of another wallet", { ...trial, terms: { ...trial.terms, wallet: keyOf("other") } }, false],
    ["one that is not tried", { ...trial, isTried: false }, false],
    ["one in another pool", { ...trial, best: { routed: routeBy("other"), written: [], opened: [] } }, false],
  ])("compares a trial with %s", (_, later, isSame) => {
    expect(isSameTrial(trial, later)).toBe(isSame);
  });

  it("finds that two trials without a purchase and sale have the same answers", () => {
    expect(isSameTrial(withoutTrip, withoutTrip)).toBe(true);
    expect(isSameTrial(withoutTrip, trial)).toBe(false);
  });
});
