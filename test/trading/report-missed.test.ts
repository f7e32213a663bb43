import { describe, expect, it } from "vitest";
import type { Position } from "../../lib/orders/execution.ts";
import type { WakeEvent } from "../../lib/trading/execution/wake-effect.ts";
import { countsMore, missedReporter, positionChecker } from "../../lib/trading/report-missed.ts";
import { position } from "../support/executions.ts";

const lane = { chain: "eth", wallet: "0xA1" } as const;
const missed = { userID: "alice", token: "0x1" };

describe("missedReporter", () => {
  it("wakes each wallet at most once a minute", () => {
    const woken: object[] = [];
    let nowMs = 0;
    const start = async (event: object) => void woken.push(event);
    const report = missedReporter(
      start,
      () => undefined,
      () => nowMs,
    );
    expect(report(lane, missed)).toBe(true);
    expect(report(lane, { ...missed, token: "0x2" })).toBe(false);
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

  it("never fails, but reports the error of a failed wake", async () => {
    const faults: unknown[] = [];
    const failure = new Error("throttled");
    const report = missedReporter(
      () => Promise.reject(failure),
      (error) => faults.push(error),
    );
    expect(report(lane, missed)).toBe(true);
    await new Promise(setImmediate);
    expect(faults).toEqual([failure]);
  });
});

describe("positionChecker", () => {
  const held = (changes: Partial<Position>) =>
    position({ ...lane, token: "0x1", cost: "1", settled: true, ...changes });

  it("checks a wallet's tokens in turn, one per minute, and no other positions", () => {
    const woken: unknown[] = [];
    let nowMs = 0;
    const start = async (event: WakeEvent) => void woken.push([event.wallet, event.missed?.token]);
    const check = positionChecker(
      missedReporter(
        start,
        () => undefined,
        () => nowMs,
      ),
    );
    const others = [
      held({ wallet: "0xB1", status: "closed" }),
      held({ wallet: "0xB2", settled: false }),
      held({ wallet: "0xB3", cost: undefined }),
      held({ wallet: "0xB4", token: undefined }),
    ];
    const tokens = ["0x1", "0x2", "0x3"];
    for (nowMs = 0; nowMs < 240_000; nowMs += 30_000)
      check("alice", [...others, ...tokens.map((token) => held({ token }))]);
    expect(woken).toEqual([...tokens, "0x1"].map((token) => [lane.wallet, token]));
  });

  it("wakes at most ten lanes per read, so that a long list takes several reads", () => {
    const woken: string[] = [];
    const check = positionChecker(({ wallet }) => woken.push(wallet) > 0);
    const positions = Array.from({ length: 25 }, (_, index) => held({ wallet: `0x${index}` }));
    for (const count of [10, 20, 30]) {
      check("alice", positions);
      expect(woken).toHaveLength(count);
    }
    expect(new Set(woken).size).toBe(25);
  });
});

describe("countsMore", () => {
  const ours = { ...position(), amount: "2", cost: "1", settled: true };

  it("returns true for a position above the balance", () => {
    expect(countsMore(ours, 1_999_999n, 6)).toBe(true);
    expect(countsMore(ours, 2_000_000n, 6)).toBe(false);
  });

  it("returns false for a position that is not settled, belongs to another engine, or has an unreadable amount", () => {
    expect(countsMore({ ...ours, settled: false }, 0n, 6)).toBe(false);
    expect(countsMore({ ...ours, cost: undefined }, 0n, 6)).toBe(false);
    for (const amount of ["", "two", "-1", "0", "1e9", "0.1234567"])
      expect(countsMore({ ...ours, amount }, 0n, 6)).toBe(false);
  });
});
