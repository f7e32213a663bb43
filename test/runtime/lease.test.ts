import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { leaseOf } from "../../lib/runtime/lease.ts";

describe("leaseOf", () => {
  const time = (at: Date) => `${at.toISOString().slice(0, 19)}Z`;
  const when = fc.date({ min: new Date("2020-01-01"), max: new Date("2100-01-01"), noInvalidDate: true });

  it("gives a later schedule a greater lease, with or without milliseconds in its time", () => {
    fc.assert(
      fc.property(when, fc.uuid(), fc.uuid(), (at, id, other) => {
        const next = new Date(at.getTime() + 60_000);
        expect(leaseOf({ time: time(at), id }) < leaseOf({ time: time(next), id: other })).toBe(true);
        expect(leaseOf({ time: time(at), id }) < leaseOf({ time: next.toISOString(), id: other })).toBe(true);
      }),
    );
  });

  it("gives each run its own lease, even for the same event", () => {
    const event = { time: "2026-11-21T09:00:00Z", id: "e1" };
    expect(leaseOf(event)).not.toBe(leaseOf(event));
  });

  it("rejects an event without a valid time", () => {
    expect(() => leaseOf({ time: "soon", id: "e1" })).toThrow(RangeError);
  });
});
