import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { playSolHistories } from "../model/sol/sol-history.ts";
import { solLies } from "../model/sol/sol-lies.ts";
import { solMutants } from "../model/sol/sol-mutants.ts";
import type { SolSystem } from "../model/sol/sol-world.ts";
import { SurfpoolChain } from "./surfpool-chain.ts";
import { type SurfpoolSetup, startSurfpoolSetup } from "./surfpool-setup.ts";

const isFull = process.env.FULL !== undefined;

/** Maximum number of histories to play. `FULL=1` plays all of them, which takes three minutes of one core. */
const most = isFull ? 200 : 60;
/** Few and short histories that reach all required events. If they no longer do, further histories follow. */
const short = [44, 47, 48, 53];
const others = Array.from({ length: most }, (_, index) => index + 1).filter((each) => !short.includes(each));

/** Events that the histories must reach to prove anything about a real chain. */
const wanted: Readonly<Record<string, readonly string[]>> = {
  "fills on real programs": ["landed: swap", "filled", "settle"],
  "transactions that vanish in a fork": ["transaction taken back", "hosts on two forks"],
  "attempts that lose, and a clear that wins": ["failed: swap at the marker", "landed: clear"],
  "dropped messages, and bytes that turn up late": ["messages dropped", "old bytes sent", "expired"],
  "crashes, and two runs for one lane": ["restart", "two runs for a lane", "a run was overtaken"],
  "hosts that lag, forget or lie": [
    ...["a host lags", "history pruned", "a host of several nodes"],
    "one host lies, the other is silent",
  ],
  "a halt of the cluster": ["a halt of hours"],
  "an attacker who asks the signer": ["an intruder asked the signer"],
};

/** Events reached only with `FULL=1`. */
const rare: typeof wanted = {
  "a clear that loses, and a price that falls": ["failed: clear at the marker", "failed: slippage"],
  "a message in one of its last blocks, without a history": [
    "a message in one of its last blocks",
    "no host has a history",
  ],
  "a stranger who pays into the marker": ["a deposit on a marker, between attempts"],
  "every lie": solLies.map((lie) => `lie: ${lie}`),
};

let setup: SurfpoolSetup;
beforeAll(async () => {
  setup = await startSurfpoolSetup();
});
afterAll(() => setup.fork.stop());

const play = (from: number, count: number, rest: { reached?: Set<string>; system?: SolSystem }) =>
  playSolHistories({ from, count, openChain: (random) => SurfpoolChain.open(setup, random), ...rest });

describe("the trading core on a real Solana chain with random faults", () => {
  const reached = new Set<string>();
  const isEnough = () => Object.values(wanted).every((labels) => labels.every((each) => reached.has(each)));

  beforeAll(async () => {
    for (const number of [...short, ...others]) if (isFull || !isEnough()) await play(number, 1, { reached });
  }, 900_000);

  it.each(Object.entries({ ...wanted, ...(isFull && rare) }))(
    "spends money once and reports the chain's outcome, even with %s",
    (_, labels) => {
      expect(labels.filter((label) => !reached.has(label))).toEqual([]);
    },
  );
});

describe("faults caught by histories on a real Solana chain", () => {
  // Faults that the first histories catch. test/trading/model plays more histories and catches the remaining faults.
  it.each(["makes no marker", "reads blocks that are not final"])("catches a core that %s", async (name) => {
    await expect(play(2, 10, { system: solMutants[name] as SolSystem })).rejects.toThrow(/^history \d+: /);
  });
});
