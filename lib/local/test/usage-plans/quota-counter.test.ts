import { expect, test } from "vitest";
import type { Quota } from "../../src/usage-plans/model.ts";
import { createQuotaCounter, type QuotaCounter } from "../../src/usage-plans/quota-counter.ts";

const longAgo = Date.UTC(2020, 0, 1);
const at = (text: string) => Date.parse(`${text}Z`);

function quota(period: Quota["period"], changes: Partial<Quota> = {}): Quota {
  return { limit: 3, offset: 0, period, ...changes };
}

/** How many more requests a moment takes. */
function drain(counter: QuotaCounter, now: number): number {
  let taken = 0;
  for (; taken < 100 && counter.hasRoom(now); taken++) counter.count(now);
  return taken;
}

test.each<[period: Quota["period"], last: string, next: string]>([
  ["DAY", "2026-11-21T23:59:59.999", "2026-11-22T00:00:00"],
  ["DAY", "2026-12-31T23:59:59.999", "2027-01-01T00:00:00"],
  ["WEEK", "2026-11-22T23:59:59.999", "2026-11-23T00:00:00"],
  ["WEEK", "2027-01-03T23:59:59.999", "2027-01-04T00:00:00"],
  ["MONTH", "2026-11-30T23:59:59.999", "2026-12-01T00:00:00"],
  ["MONTH", "2028-02-29T23:59:59.999", "2028-03-01T00:00:00"],
])("a %s ends at %s UTC", (period, last, next) => {
  const counter = createQuotaCounter(quota(period), longAgo);
  expect(drain(counter, at(last) - 60_000)).toBe(3);
  expect(drain(counter, at(last))).toBe(0);
  expect(drain(counter, at(next))).toBe(3);
});

test("a week begins on Monday and lasts until Sunday", () => {
  const counter = createQuotaCounter(quota("WEEK"), longAgo);
  expect(drain(counter, at("2026-11-16T00:00:00"))).toBe(3);
  expect(drain(counter, at("2026-11-22T12:00:00"))).toBe(0);
});

test("an offset counts in the period in which the plan was made, and in no other", () => {
  const counter = createQuotaCounter(quota("MONTH", { offset: 2 }), at("2026-11-20T00:00:00"));
  expect(drain(counter, at("2026-11-21T00:00:00"))).toBe(1);
  expect(drain(counter, at("2026-12-21T00:00:00"))).toBe(3);
});

test("another limit counts on, another period begins anew", () => {
  const now = at("2026-11-21T00:00:00");
  const counter = createQuotaCounter(quota("DAY"), longAgo);
  expect(drain(counter, now)).toBe(3);
  counter.adjust(quota("DAY", { limit: 5 }));
  expect(drain(counter, now)).toBe(2);
  counter.adjust(quota("DAY", { limit: 4 }));
  expect(drain(counter, now)).toBe(0);
  counter.adjust(quota("MONTH", { limit: 4 }));
  expect(drain(counter, now)).toBe(4);
});
