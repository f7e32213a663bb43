import { expect, it } from "vitest";
import { type LoadOptions, loadOfQuotes } from "./quote-load.ts";
import type { QuoteShape } from "./quote-shapes.ts";

const shape: QuoteShape = [["eth_call", "eth_call", "eth_getBalance"], ["eth_simulateV1"]];

const load = (options: Pick<LoadOptions, "asks" | "chain">) =>
  loadOfQuotes({ users: 40, minutes: 2, shape, ...options });

it.each(["eth", "base"] as const)(
  "asks hosts on %s for less than half as much on change as by the clock",
  { timeout: 60_000 },
  async (chain) => {
    const before = await load({ chain, asks: 2000 });
    expect(before.quotes).toBeCloseTo(30, 0);
    expect(before.units / before.quotes).toBeCloseTo(112);
    const { units } = await load({ chain, asks: "on change" });
    expect(units).toBeLessThan(before.units / 2);
  },
);
