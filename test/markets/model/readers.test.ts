import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Coverage, playReaders } from "./play.ts";
import { endTimersWithProcesses } from "./world.ts";

const isFull = process.env.FULL !== undefined;

/** `FULL=1` plays many, and also those with five blocks a second. */
const histories = isFull ? 200 : 4;
const chainNames = isFull ? (["eth", "avax", "base"] as const) : (["eth", "avax"] as const);

/** What some history must have had. */
const wanted = [
  ...["deaths", "forks", "silent hosts", "throttled deliver", "throttled table"],
  ...["standbys", "two runs at once", "compared", "clients' minutes"],
];

beforeEach(() => {
  vi.useFakeTimers();
  endTimersWithProcesses();
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

it("runs that die at any effect leave true minutes, and clients with the newest ones", async () => {
  const coverage: Coverage = new Map();
  for (let seed = 1; seed <= histories; seed++) await playReaders(seed, coverage, chainNames);
  expect(wanted.filter((name) => !coverage.has(name))).toEqual([]);
}, 3_600_000);
