import { describe, expect, it } from "vitest";
import type { AttentionCode } from "../../../lib/orders/execution.ts";
import { attentionAfter, shownAttention } from "../../../lib/orders/resting/attention.ts";
import { nowMs } from "./fixtures.ts";

const noted = (known: ReturnType<typeof attentionAfter>, ms: number, ...codes: AttentionCode[]) =>
  attentionAfter(known, new Set(codes), nowMs + ms);
const shown = (attention: ReturnType<typeof attentionAfter>) =>
  shownAttention(attention).map(({ code }) => code);

describe("attentionAfter", () => {
  it("notes each condition with the time since when it is true", () => {
    const once = noted({}, 0, "NO_ROUTE");
    expect(shownAttention(noted(once, 90_000, "NO_ROUTE", "POLICY_LIMIT"))).toEqual([
      { code: "NO_ROUTE", since: "2026-11-29T12:00:00.000Z" },
      { code: "POLICY_LIMIT", since: "2026-11-29T12:01:30.000Z" },
    ]);
  });

  it("changes each code at most once a minute", () => {
    const begun = noted({}, 0, "NO_ROUTE");
    expect(shown(noted(begun, 59_999))).toEqual(["NO_ROUTE"]);
    const ended = noted(begun, 60_000);
    expect(shown(ended)).toEqual([]);
    expect(shown(noted(ended, 119_999, "NO_ROUTE"))).toEqual([]);
    expect(shown(noted(ended, 120_000, "NO_ROUTE"))).toEqual(["NO_ROUTE"]);
  });

  it("forgets a condition a minute after it has ended", () => {
    const ended = noted(noted({}, 0, "NO_ROUTE"), 60_000);
    expect(noted(ended, 120_000)).toEqual({});
  });
});
