import { expect, it } from "vitest";
import { type Coverage, playHistory } from "./history.ts";
import { eventLies, lookLies } from "./model-hosts.ts";

const isFull = process.env.FULL !== undefined;

/** Number of histories. `FULL=1` plays 500, which takes 90 seconds of one core. */
const histories = isFull ? 500 : 12;

it("never shows a wrong final minute candle without gaps, and ends with the true candles of the final chain", async () => {
  const coverage: Coverage = new Map();
  for (let seed = 1; seed <= histories; seed++) await playHistory(seed, coverage);
  const wanted = [
    ...eventLies,
    ...lookLies,
    "shallow fork",
    "deep fork",
    "fork below the journal",
    "corrected",
    "final",
    "gaps",
    "compared",
  ];
  expect(wanted.filter((name) => !coverage.has(name))).toEqual([]);
}, 600_000);
