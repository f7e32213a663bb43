import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Coverage, playReaders } from "./play.ts";

/** `FULL=1` plays more of them. */
const histories = process.env.FULL === undefined ? 6 : 200;

/** What some history must have had. */
const wanted = [
  ...["deaths", "forks", "silent hosts", "throttled deliver", "throttled table"],
  ...["standbys", "two runs at once", "compared", "clients' minutes"],
];

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("runs that die at any effect leave true minutes, and clients with the newest ones", async () => {
  const coverage: Coverage = new Map();
  for (let seed = 1; seed <= histories; seed++) await playReaders(seed, coverage);
  expect(wanted.filter((name) => !coverage.has(name))).toEqual([]);
}, 600_000);
