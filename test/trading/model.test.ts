import { beforeAll, describe, expect, it } from "vitest";
import { faults } from "./model/coverage.ts";
import { playHistories } from "./model/history.ts";

/** The whole number takes 20 seconds of one core: `npm run test:model`. */
const histories = process.env.FULL ? 10_000 : 2000;

describe(`the trading core, in ${histories} histories full of faults`, () => {
  const reached = new Set<string>();

  beforeAll(async () => {
    await playHistories({ from: 1, count: histories, reached });
  }, 300_000);

  it.each(Object.entries(faults))(
    "spends money once and reports what the chain did, despite %s",
    (_, wanted) => {
      expect(wanted.filter((each) => !reached.has(each))).toEqual([]);
    },
  );
});
