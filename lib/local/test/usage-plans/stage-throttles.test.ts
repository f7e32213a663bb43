import { describe, expect, it } from "vitest";
import { readStageThrottles } from "../../src/usage-plans/stage-throttles.ts";

const all = { HttpMethod: "*", ResourcePath: "/*" };

function throttles(...settings: Parameters<typeof readStageThrottles>[0]) {
  const throttleOf = readStageThrottles(settings);
  const [pets, one, root] = ["/pets/GET", "/pets/{id}/POST", "//GET"].map(throttleOf);
  return { pets, one, root };
}

describe("readStageThrottles", () => {
  it("returns no limit without a setting", () => {
    const none = { pets: undefined, one: undefined, root: undefined };
    expect(throttles()).toEqual(none);
    expect(throttles(all)).toEqual(none);
  });

  it("fills a missing limit from the account (recorded)", () => {
    const burst = { rateLimit: 10_000, burstLimit: 123 };
    expect(throttles({ ...all, ThrottlingBurstLimit: 123 })).toEqual({
      pets: burst,
      one: burst,
      root: burst,
    });
    expect(throttles({ ...all, ThrottlingRateLimit: 0.5 }).pets).toEqual({
      rateLimit: 0.5,
      burstLimit: 5_000,
    });
  });

  it("prefers a method's own setting, and fills a missing limit from the setting for all methods (recorded)", () => {
    const common = { rateLimit: 1, burstLimit: 2 };
    expect(
      throttles(
        { HttpMethod: "GET", ResourcePath: "/~1pets", ThrottlingBurstLimit: 9 },
        { HttpMethod: "GET", ResourcePath: "/", ThrottlingRateLimit: 0 },
        { ...all, ThrottlingRateLimit: 1, ThrottlingBurstLimit: 2 },
      ),
    ).toEqual({ pets: { rateLimit: 1, burstLimit: 9 }, one: common, root: { rateLimit: 0, burstLimit: 2 } });
  });

  it("merges several settings of one method by using the last value of each limit", () => {
    const one = { HttpMethod: "POST", ResourcePath: "/~1pets~1{id}" };
    expect(
      throttles(
        { ...one, ThrottlingRateLimit: 1, ThrottlingBurstLimit: 1 },
        { ...one, ThrottlingRateLimit: 2 },
        one,
      ),
    ).toEqual({ pets: undefined, one: { rateLimit: 2, burstLimit: 1 }, root: undefined });
  });
});
