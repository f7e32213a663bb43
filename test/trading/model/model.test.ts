import { beforeAll, describe, expect, it } from "vitest";
import { faults } from "./coverage.ts";
import { playHistories } from "./history.ts";

const isFull = process.env.FULL !== undefined;

/** The whole number takes 20 seconds of one core: `npm run test:model`. */
const most = isFull ? 10_000 : 2000;
/** Ends soon after all faults were met, but not before so many. */
const least = isFull ? most : 800;
const atOnce = 100;

describe("the trading core, in histories full of faults", () => {
  const reached = new Set<string>();
  const isEnough = () => Object.values(faults).every((wanted) => wanted.every((each) => reached.has(each)));

  beforeAll(async () => {
    for (let from = 1; from <= most && (from <= least || !isEnough()); from += atOnce)
      await playHistories({ from, count: atOnce, reached });
  }, 300_000);

  it.each(Object.entries(faults))(
    "spends money once and reports what the chain did, despite %s",
    (_, wanted) => {
      expect(wanted.filter((each) => !reached.has(each))).toEqual([]);
    },
  );
});
