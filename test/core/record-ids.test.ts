import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hashedId, isOwnId, orderIdFor } from "../../lib/core/record-ids.ts";

const now = new Date("2026-11-21T20:00:00.000Z");
const times = fc.date({ min: new Date(0), max: new Date("9999-12-31"), noInvalidDate: true });

describe("orderIdFor", () => {
  it("sorts ids by time across all users", () => {
    fc.assert(
      fc.property(times, times, fc.string(), fc.string(), (a, b, x, y) => {
        if (a.getTime() === b.getTime()) return;
        const isEarlier = orderIdFor(x, y, a) < orderIdFor(y, x, b);
        expect(isEarlier).toBe(a.getTime() < b.getTime());
      }),
    );
  });

  it("derives an equal id only from the same user, key and time", () => {
    expect(orderIdFor("alice", "k", now)).toBe(orderIdFor("alice", "k", now));
    const others = [
      orderIdFor("alice", "l", now),
      orderIdFor("bob", "k", now),
      orderIdFor("alic", "ek", now),
    ];
    expect(new Set([orderIdFor("alice", "k", now), ...others]).size).toBe(4);
  });

  it("makes ids in a form reserved for this service's own records", () => {
    fc.assert(fc.property(fc.string(), fc.string(), times, (a, b, at) => isOwnId(orderIdFor(a, b, at))));
    expect(isOwnId(hashedId(["alice", "eth", 1]))).toBe(true);
    expect(["o-1", "01KAMZ3Q5T9WJ2M4N6P8R0S1V", "01kamz3q5t9wj2m4n6p8r0s1v3"].filter(isOwnId)).toEqual([]);
  });
});
