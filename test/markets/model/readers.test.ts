import { expect, it } from "vitest";
import { type Coverage, playReaders } from "./play.ts";
import { virtualTimeForTests } from "./world.ts";

/** Seeds after the first one have caught faults that others do not reach. `FULL=1` plays all of the first 300. */
const seeds =
  process.env.FULL === undefined ? [1, 105, 107] : Array.from({ length: 300 }, (_, index) => index + 1);

/** The events that the histories must reach. */
const wanted = [
  ...["deaths", "forks", "silent hosts", "throttled deliver", "throttled table"],
  ...["standbys", "two runs at once", "compared", "clients' minutes"],
];

virtualTimeForTests();

it("runs that die at any effect leave true minutes, and clients with the newest ones", async () => {
  const coverage: Coverage = new Map();
  for (const seed of seeds) await playReaders(seed, coverage);
  expect(wanted.filter((name) => !coverage.has(name))).toEqual([]);
}, 3_600_000);
