import { beforeAll, describe, expect, it } from "vitest";
import { playSolHistories } from "./sol-history.ts";
import { solLies } from "./sol-lies.ts";
import { solMutants } from "./sol-mutants.ts";

const isFull = process.env.FULL !== undefined;

/** `FULL=1` plays all of them, which takes six seconds of one core. */
const most = isFull ? 10_000 : 3000;
const least = isFull ? most : 800;
const atOnce = 100;

const crashes = (name: string, ...labels: string[]) =>
  labels.flatMap((label) => [`crash: ${name} before ${label}`, `crash: ${name} after ${label}`]);

/** Events that histories must reach to prove anything. */
const faults: Readonly<Record<string, readonly string[]>> = {
  "a crash around taking and leaving a lane": crashes("work", "take lease", "leave", "delete lane"),
  "a crash in the signer": crashes("sign", "readSigning", "signMessage", "write signature"),
  "a crash around sending": crashes("work", "send", "record sending"),
  "a crash between a receipt and its record": crashes("work", "record fill", "settle"),
  "a crash of a cancellation": crashes("cancel", "record cancellation", "readOrder", "write order"),
  "two runs for one lane, and lost steps": [
    "two runs for a lane",
    "a run was frozen",
    "lost: take lease",
    "restart",
  ],
  "a fork": ["transaction taken back"],
  "dropped messages, and bytes that turn up late": ["messages dropped", "old bytes sent", "send unreached"],
  "a clear that wins": ["landed: clear"],
  "a clear that loses, and attempts that lose": ["failed: clear at the marker", "failed: swap at the marker"],
  "a price that falls": ["failed: slippage"],
  "a host that lags, or has lost its history": ["a host lags", "history pruned", "a host of several nodes"],
  "a host that lies": solLies.map((lie) => `lie: ${lie}`),
  "a halt of the cluster, and an absence of the service": ["a halt of hours", "the service was away"],
  "a stranger who makes the marker": ["a stranger's marker", "left unsettled by a stranger's marker"],
  "tokens that another program moves": ["tokens moved out"],
};

describe("the trading core on Solana, in histories full of faults", () => {
  const reached = new Set<string>();
  const isEnough = () => Object.values(faults).every((wanted) => wanted.every((each) => reached.has(each)));

  beforeAll(async () => {
    for (let from = 1; from <= most && (from <= least || !isEnough()); from += atOnce)
      await playSolHistories({ from, count: atOnce, reached });
  }, 300_000);

  it.each(Object.entries(faults))("spends money once and reports the outcome, despite %s", (_, wanted) => {
    expect(wanted.filter((each) => !reached.has(each))).toEqual([]);
  });
});

describe("the histories on Solana", () => {
  it.each(Object.entries(solMutants))("catch a core that %s", async (_, system) => {
    await expect(playSolHistories({ from: 1, count: 20_000, system })).rejects.toThrow(/^history \d+: /);
  });
});
