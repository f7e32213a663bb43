import { beforeAll, describe, expect, it } from "vitest";
import { faults } from "./coverage.ts";
import { playHistories } from "./history.ts";
import { rarePlots } from "./plots.ts";

const isFull = process.env.FULL !== undefined;

/** Maximum number of histories to play. `FULL=1` plays all of them, which takes 20 seconds of one core. */
const most = isFull ? 10_000 : 4000;
/** Minimum number of histories to play. Beyond it, the test stops soon after all faults have occurred. */
const least = isFull ? most : 800;
const atOnce = 100;

describe("the trading core in the model, with random faults", () => {
  const reached = new Set<string>();
  const isEnough = () => Object.values(faults).every((wanted) => wanted.every((each) => reached.has(each)));

  beforeAll(async () => {
    for (let from = 1; from <= most && (from <= least || !isEnough()); from += atOnce)
      await playHistories({ from, count: atOnce, reached });
  }, 300_000);

  it.each(Object.entries(faults))(
    "spends money once and reports the chain's outcome, despite %s",
    (_, wanted) => {
      expect(wanted.filter((each) => !reached.has(each))).toEqual([]);
    },
  );

  it.each(Object.entries(rarePlots))(
    "spends money once and reports the chain's outcome in histories that start with %s",
    async (_, plot) => {
      await playHistories({ from: 1, count: isFull ? 2000 : 80, plot });
    },
  );
});
