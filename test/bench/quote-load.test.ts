import { expect, it } from "vitest";
import { type LoadOptions, loadOfQuotes } from "./quote-load.ts";
import type { QuoteShape } from "./quote-shapes.ts";

/** Questions of a quote: two for everybody with the token, one for everybody with the trade, one for the wallet. */
const shape: QuoteShape = [
  [
    { method: "eth_call", scope: "token" },
    { method: "eth_call", scope: "trade" },
    { method: "eth_getBalance", scope: "wallet" },
  ],
  [{ method: "eth_simulateV1", scope: "token" }],
];

const load = (options: Pick<LoadOptions, "asks" | "containers" | "remembers" | "chain">) =>
  loadOfQuotes({ users: 40, minutes: 2, shape, ...options });

it.each(["eth", "base"] as const)(
  "asks hosts on %s for less than half on change than by the clock, with 1, 5 and 20 containers",
  { timeout: 60_000 },
  async (chain) => {
    const before = await load({ chain, asks: 2000, containers: 1, remembers: false });
    expect(before.quotes).toBeCloseTo(30, 0);
    expect(before.units / before.quotes).toBeCloseTo(112);
    for (const containers of [1, 5, 20]) {
      const { units } = await load({ chain, asks: "on change", containers, remembers: true });
      expect(units).toBeLessThan(before.units / 2);
    }
  },
);

it("asks hosts on eth for less if one container remembers the answers of all", async () => {
  const options = { chain: "eth", asks: "on change", containers: 1 } as const;
  const each = async (remembers: boolean) => {
    const { units, quotes } = await load({ ...options, remembers });
    return units / quotes;
  };
  expect(await each(true)).toBeLessThan((await each(false)) * 0.9);
});
