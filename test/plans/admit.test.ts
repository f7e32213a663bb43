import { describe, expect, it, vi } from "vitest";
import { strangerKey } from "../../lib/plans/admit.ts";
import { type FallbackKeys, fallbackKeyValue } from "../../lib/plans/fallback-keys.ts";
import { coverageOf } from "../../lib/plans/plan-stages.ts";

describe("strangerKey", () => {
  const sharedKey = "shared";
  const now = new Date("2026-11-28T09:00:00Z");
  const stages = [{ apiId: "a1", stage: "live" }];
  const record = (count: number, coverage = coverageOf(stages)): FallbackKeys => ({
    version: 1,
    planId: "p",
    coverage,
    isFull: false,
    usable: [{ count, from: now.toISOString() }],
  });
  const keyBy = (readFallbackKeys: () => Promise<FallbackKeys | undefined>, onFault = vi.fn()) =>
    strangerKey({ sharedKey, readFallbackKeys, stages, onFault })(now);

  it("spreads requests over the usable fallback keys", async () => {
    const keys = [0, 1, 2].map((number) => fallbackKeyValue(sharedKey, number));
    const chosen = await Promise.all(Array.from({ length: 300 }, () => keyBy(async () => record(3))));
    expect(new Set(chosen)).toEqual(new Set(keys));
  });

  it.each([
    ["none may be named", async () => record(0)],
    ["they cover other stages", async () => record(3, "others")],
    ["there is no record", async () => undefined],
  ])("returns the shared key if %s", async (_, read) => {
    expect(await keyBy(read)).toBe(sharedKey);
  });

  it("returns the shared key if the record cannot be read, and reports that", async () => {
    const onFault = vi.fn();
    expect(await keyBy(() => Promise.reject(new Error("down")), onFault)).toBe(sharedKey);
    expect(onFault).toHaveBeenCalledOnce();
  });
});
