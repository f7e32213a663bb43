import { describe, expect, it } from "vitest";
import { DeliveryWindows } from "../../../lib/markets/core/delivery-windows.ts";

/** A time in a second of phase 0. */
const start = 1_795_780_800_000;
const at = (seconds: number) => start + seconds * 1000;

/** Delivers in each second of a range, and returns the contents that were due. */
function play(windows: DeliveryWindows, from: number, to: number) {
  return Array.from({ length: to - from }, (_, index) => {
    const atMs = at(from + index);
    const due = windows.dueAt(atMs);
    windows.delivered(due, atMs);
    return due;
  });
}

describe("DeliveryWindows", () => {
  it("starts with a full delivery for each pace and phase", () => {
    const due = play(new DeliveryWindows(), 0, 6);
    expect(due.map(({ fast }) => fast.least)).toEqual(["everything", ...Array(5).fill("changes")]);
    expect(due.map(({ slow }) => [slow.phase, slow.least])).toEqual([
      ...[0, 1, 2, 3, 4].map((phase) => [phase, "everything"]),
      [0, "changes"],
    ]);
  });

  it("ends a window with the next delivery, one or five seconds later", () => {
    const windows = new DeliveryWindows();
    play(windows, 0, 7);
    expect(windows.dueAt(at(7))).toMatchObject({
      fast: { sinceMs: at(6) - 1 },
      slow: { sinceMs: at(2) - 1, phase: 2 },
    });
  });

  it("includes the chains' heads every ten seconds, and everything every thirty seconds", () => {
    const due = play(new DeliveryWindows(), 0, 61);
    const seconds = (least: string) =>
      due.flatMap(({ fast }, second) => (fast.least === least ? [second] : []));
    expect(seconds("heads")).toEqual([10, 20, 40, 50]);
    expect(seconds("everything")).toEqual([0, 30, 60]);
    const slowFull = due.flatMap(({ slow }, second) => (slow.least === "everything" ? [second] : []));
    expect(slowFull.slice(0, 10)).toEqual([0, 1, 2, 3, 4, 30, 31, 32, 33, 34]);
  });

  it("keeps windows and new connections pending until a delivery has succeeded", () => {
    const windows = new DeliveryWindows();
    play(windows, 0, 5);
    windows.addConnections(["a"], at(5));
    windows.dueAt(at(5));
    windows.addConnections(["b"], at(6));
    const due = windows.dueAt(at(35));
    expect(due).toMatchObject({ fast: { sinceMs: at(4) - 1, least: "everything" }, listSinceMs: at(6) });
    expect(due.newConnections).toEqual(["a", "b"]);
    windows.addConnections(["c"], at(35));
    windows.addConnections(["b"], at(35) + 1);
    windows.delivered(due, at(35));
    expect(windows.dueAt(at(36)).newConnections).toEqual(["b", "c"]);
    expect(windows.dueAt(at(36)).fast).toEqual({ sinceMs: at(35) - 1, least: "changes" });
  });
});
