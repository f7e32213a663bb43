import { describe, expect, it } from "vitest";
import { playHistories } from "./history.ts";
import { mutants } from "./mutants.ts";
import { type Plot, rarePlots } from "./plots.ts";

/**
 * Maps each mutant that is caught late to the first history that catches it. A number that is out of date only makes
 * the test slower.
 */
const caughtBy: Readonly<Record<string, number>> = {
  "does not check the holder": 301,
  "trusts one host about balances": 175,
  "mistakes an RPC error for no receipt": 418,
  "trusts an old allowance": 122,
  "voids a signed slot": 1128,
  "counts its holders": 1479,
  "counts a replacement as a whole": 53,
  "frees nonces only by the relay": 35,
  "lets the clock expire a signed order": 32,
  "never looks for what a wallet lacks": 69,
  "trusts one host about routes": 69,
  "lets two runs take a lane by one reservation": 34,
};

const racing = rarePlots["a program whose wallets race at one day's limit"];

const plots: Readonly<Record<string, Plot>> = {
  "trusts one host about tokens that a wallet lacks": rarePlots["a host that makes up what a wallet has"],
  "mistakes a host's silence for missing tokens": rarePlots["a host that makes up what a wallet has"],
  "forgets what a key's day has spent": racing,
  "trusts an old count of a key's day": racing,
  "trusts a revoked program key": racing,
  "blocks clears": rarePlots["a day whose network fees are above their limit"],
  "ignores the limit of a day's network fees":
    rarePlots["a limit of network fees that falls before a signature"],
  "does not read cancellations of all orders": rarePlots["a user who cancels all orders"],
  "signs orders from the future": rarePlots["an order from the future"],
  "places orders without a look at cancellations": rarePlots["a user who cancels all orders"],
  "cancels only what the time covers": rarePlots["a user who cancels all orders"],
  "does not compare the claimed intent with the stored one":
    rarePlots["an order that an intruder has altered"],
};

describe("faults caught by the model's histories", () => {
  it.each(Object.entries(mutants))("catches a core that %s", async (name, mutant) => {
    const histories = playHistories({
      from: caughtBy[name] ?? 1,
      count: 2000,
      system: mutant,
      plot: plots[name],
    });
    await expect(histories).rejects.toThrow(/^history \d+: /);
  });
});
