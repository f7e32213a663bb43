import { expect, it } from "vitest";
import { type Coverage, playReaders } from "./play.ts";
import { virtualTimeForTests } from "./world.ts";

/**
 * Seeds of histories. The first is arbitrary; the others have caught bugs that the first does not. `FULL=1` plays 300.
 */
const seeds =
  process.env.FULL === undefined ? [1, 105, 107] : Array.from({ length: 300 }, (_, index) => index + 1);

/** Events that the histories must reach. */
const wanted = [
  ...["deaths", "forks", "silent hosts", "throttled deliver", "throttled table"],
  ...["standbys", "two runs at once", "compared", "clients' minutes"],
];

virtualTimeForTests();

it("keeps stored minute candles true, and clients up to date, if runs die at any effect", async () => {
  const coverage: Coverage = new Map();
  for (const seed of seeds) await playReaders(seed, coverage);
  expect(wanted.filter((name) => !coverage.has(name))).toEqual([]);
}, 3_600_000);
