import { describe, expect, it } from "vitest";
import { countsMore, missedReporter } from "../../lib/trading/report-missed.ts";
import { position } from "../support/executions.ts";

const lane = { chain: "eth", wallet: "0xA1" } as const;
const missed = { userID: "alice", token: "0x1" };

describe("missedReporter", () => {
  it("wakes a wallet at most once a minute, and others meanwhile", () => {
    const woken: object[] = [];
    let nowMs = 0;
    const start = async (event: object) => void woken.push(event);
    const report = missedReporter(
      start,
      () => undefined,
      () => nowMs,
    );
    report(lane, missed);
    report(lane, { ...missed, token: "0x2" });
    report({ ...lane, chain: "bsc" }, missed);
    expect(woken).toEqual([
      { ...lane, missed },
      { ...lane, chain: "bsc", missed },
    ]);
    nowMs = 59_999;
    report(lane, missed);
    expect(woken).toHaveLength(2);
    nowMs = 60_000;
    report(lane, missed);
    expect(woken).toHaveLength(3);
  });

  it("never fails, and hands over the error that kept the lane from waking", async () => {
    const faults: unknown[] = [];
    const failure = new Error("throttled");
    const report = missedReporter(
      () => Promise.reject(failure),
      (error) => faults.push(error),
    );
    expect(report(lane, missed)).toBeUndefined();
    await new Promise(setImmediate);
    expect(faults).toEqual([failure]);
  });
});

describe("countsMore", () => {
  const ours = { ...position(), amount: "2", cost: "1", settled: true };

  it("is true for a position above the balance", () => {
    expect(countsMore(ours, 1_999_999n, 6)).toBe(true);
    expect(countsMore(ours, 2_000_000n, 6)).toBe(false);
  });

  it("is false for a position that is not settled, of another engine, or with other text", () => {
    expect(countsMore({ ...ours, settled: false }, 0n, 6)).toBe(false);
    expect(countsMore({ ...ours, cost: undefined }, 0n, 6)).toBe(false);
    for (const amount of ["", "two", "-1", "0", "1e9", "0.1234567"])
      expect(countsMore({ ...ours, amount }, 0n, 6)).toBe(false);
  });
});
