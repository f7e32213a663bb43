import { beforeAll, describe, expect, it } from "vitest";
import { playSolHistories } from "./sol-history.ts";
import { solLies } from "./sol-lies.ts";
import { solMutants } from "./sol-mutants.ts";
import type { Move } from "./sol-play.ts";
import { rareSolPlots } from "./sol-plots.ts";

const isFull = process.env.FULL !== undefined;

/** Maximum number of histories to play. `FULL=1` plays all of them, which takes eight seconds of one core. */
const most = isFull ? 10_000 : 3000;
const least = isFull ? most : 800;
const atOnce = 100;

const crashes = (name: string, ...labels: string[]) =>
  labels.flatMap((label) => [`crash: ${name} before ${label}`, `crash: ${name} after ${label}`]);

/** Events that histories must reach to prove anything. */
const faults: Readonly<Record<string, readonly string[]>> = {
  "a crash around taking and leaving a lane": crashes("work", "take lease", "leave", "delete lane"),
  "a crash in the signer": crashes("sign", "readSigning", "signBytes", "write signature"),
  "a crash around sending": crashes("work", "send", "record sending"),
  "a crash between a receipt and its record": crashes("work", "record fill", "settle"),
  "a crash of a cancellation": crashes("cancel", "record cancellation", "readOrder", "write order"),
  "two runs for one lane, and lost steps": [
    "two runs for a lane",
    "a run was frozen",
    "a run was overtaken",
    "a signature against an end",
    "lost: take lease",
    "restart",
  ],
  "a fork": ["transaction taken back"],
  "a first run that asks no host, and crashes": [
    "signed from facts of the placing",
    ...crashes("work", "send", "record sending").map((label) => `${label}, without asking`),
    "crash: work before sign, without asking",
  ],
  "an attacker who makes up facts for a first run": ["signed from made-up facts"],
  "dropped messages, and bytes that turn up late": ["messages dropped", "old bytes sent", "send unreached"],
  "a clear that wins": ["landed: clear"],
  "a clear that loses, and attempts that lose": ["failed: clear at the marker", "failed: swap at the marker"],
  "a price that falls": ["failed: slippage"],
  "a host that lags, or has lost its history": ["a host lags", "history pruned", "a host of several nodes"],
  "a host that lies": [...solLies.map((lie) => `lie: ${lie}`), "one host lies, the other is silent"],
  "a halt of the cluster, and an absence of the service": ["a halt of hours", "the service was away"],
  "a message in one of its last blocks, without a history": [
    "a message in one of its last blocks",
    "no host has a history",
  ],
  "an attacker who asks the signer": ["an intruder asked the signer"],
  "a signature at the last moment": ["a signature at the last moment"],
  "a stranger who pays into the marker": ["before", "between", "after"].map(
    (time) => `a deposit on a marker, ${time} attempts`,
  ),
  "tokens that another program moves": ["tokens moved out"],
};

describe("the trading core on Solana with random faults", () => {
  const reached = new Set<string>();
  const isEnough = () => Object.values(faults).every((wanted) => wanted.every((each) => reached.has(each)));

  beforeAll(async () => {
    for (let from = 1; from <= most && (from <= least || !isEnough()); from += atOnce)
      await playSolHistories({ from, count: atOnce, reached });
  }, 300_000);

  it.each(Object.entries(faults))("spends money once and reports the outcome, despite %s", (_, wanted) => {
    expect(wanted.filter((each) => !reached.has(each))).toEqual([]);
  });

  it.each(Object.entries(rareSolPlots))(
    "spends money once and reports the outcome in histories with %s",
    async (_, plot) => {
      await playSolHistories({ from: 1, count: isFull ? 2000 : 80, plot });
    },
  );
});

const plots: Readonly<Record<string, Move>> = {
  "trusts one host about tokens that a wallet lacks": rareSolPlots["a host that makes up what a wallet has"],
  "mistakes a host's silence for missing tokens": rareSolPlots["a host that makes up what a wallet has"],
  "records over another order's slot": rareSolPlots["a clear that is recorded after its order's end"],
  "blocks clears": rareSolPlots["a day whose network fees are above their limit"],
  "does not read cancellations of all orders": rareSolPlots["a user who cancels all orders"],
  "signs orders from the future": rareSolPlots["an order from the future"],
  "cancels only what the time covers": rareSolPlots["a user who cancels all orders"],
  "does not compare the claimed intent with the stored one":
    rareSolPlots["an order that an intruder has altered"],
};

/**
 * Maps each mutant that is caught late to the first history that catches it. A number that is out of date only makes
 * the test slower.
 */
const caughtBy: Readonly<Record<string, number>> = {
  "mistakes a deposit for the marker": 1070,
  "makes its marker in one step": 1070,
  "reads the marker before the height": 559,
  "accepts an old slot": 629,
  "takes silence for absence": 826,
  "trusts one host about the facts of the placing": 4651,
  "does not count tips": 114,
  "signs for any pool": 250,
  "signs any number of messages": 198,
  "forgets what a day has spent": 1234,
  "does not read cancellations": 924,
  "does not notice a wallet that is retired": 323,
  "signs while trading is stopped": 414,
  "signs any amount": 87,
};

describe("faults caught by histories on Solana", () => {
  it.each(Object.entries(solMutants))("catches a core that %s", async (name, system) => {
    const plot = plots[name];
    const histories = playSolHistories({ from: caughtBy[name] ?? 1, count: 4000, system, plot });
    await expect(histories).rejects.toThrow(/^history \d+: /);
  });
});
