import { describe, expect, it } from "vitest";
import { createUsageState } from "../../src/usage-plans/model.ts";
import { accountThrottle, createUsagePlans } from "../../src/usage-plans/usage-plans.ts";
import { key, live, plan, secretOf, socket, throttled, underClock, untilRefused, usage } from "./fixture.ts";

const throttle = { rateLimit: 2, burstLimit: 3 };

describe("admit", () => {
  const keys = [key("alice"), key("bob"), key("carol", { enabled: false })];
  const plans = [plan("P"), plan("Q", { apiStages: [socket] })];
  const { plans: usagePlans } = underClock(usage(keys, plans, { P: ["alice", "carol"], Q: ["bob"] }));
  const admit = (value: string | undefined, stage = live) =>
    usagePlans.admit({ ...stage, apiKey: { value } });

  it("admits a key that is in a plan of the stage", () => {
    expect(admit(secretOf("alice"))).toEqual({ admitted: true });
    expect(admit(secretOf("bob"), socket)).toEqual({ admitted: true });
  });

  it.each([
    ["no key", undefined, "the caller has no API key"],
    ["an empty key", "", "the caller has no API key"],
    ["an unknown key", "nobody", "the caller's API key does not exist"],
    ["a disabled key", secretOf("carol"), "the API key carol is disabled"],
    ["a key in no plan of the stage", secretOf("bob"), "the API key bob is in no usage plan of Api:live"],
  ])("refuses %s with a reason that does not contain its value", (_, value, reason) => {
    expect(admit(value)).toEqual({ admitted: false, refusal: "INVALID_API_KEY", reason });
  });

  it("admits every caller if no key is required", () => {
    expect(usagePlans.admit(live)).toEqual({ admitted: true });
  });
});

describe("identify", () => {
  it("finds a key by its value", () => {
    const { plans } = underClock(usage([key("alice", { enabled: false })], [], {}));
    expect(plans.identify(secretOf("alice"))).toBe("alice");
    expect(plans.identify("nobody")).toBeUndefined();
  });
});

describe("a plan's throttle", () => {
  it("throttles each key of a plan separately", () => {
    const both = usage([key("alice"), key("bob")], [plan("P", { throttle })], { P: ["alice", "bob"] });
    const { ask, pass } = underClock(both);
    expect(untilRefused(() => ask("alice"))).toBe(3);
    expect(ask("alice")).toBe("THROTTLED");
    expect(untilRefused(() => ask("bob"))).toBe(3);
    pass(500);
    expect([ask("alice"), ask("alice")]).toEqual(["ok", "THROTTLED"]);
  });

  it("throttles all stages and methods of a plan together", () => {
    const both = plan("P", { throttle, apiStages: [live, socket] });
    const { ask } = underClock(usage([key("alice")], [both], { P: ["alice"] }));
    const ample = { rateLimit: 100, burstLimit: 100 };
    expect(ask("alice", throttled(ample))).toBe("ok");
    expect(ask("alice", throttled(ample, "/pets/POST"))).toBe("ok");
    expect(ask("alice", socket)).toBe("ok");
    expect(ask("alice")).toBe("THROTTLED");
    expect(ask("alice", socket)).toBe("THROTTLED");
  });

  it("throttles each plan of a key separately", () => {
    const plans = [plan("P", { throttle }), plan("Q", { throttle, apiStages: [socket] })];
    const { ask } = underClock(usage([key("alice")], plans, { P: ["alice"], Q: ["alice"] }));
    expect(untilRefused(() => ask("alice"))).toBe(3);
    expect(untilRefused(() => ask("alice", socket))).toBe(3);
  });

  it("ignores requests that need no key", () => {
    const { ask, askWithoutKey } = underClock(
      usage([key("alice")], [plan("P", { throttle })], { P: ["alice"] }),
    );
    for (let times = 0; times < 10; times++) expect(askWithoutKey()).toBe("ok");
    expect(untilRefused(() => ask("alice"))).toBe(3);
  });
});

describe("a plan's throttle of a method", () => {
  const cats = { method: { name: "/cats/GET" } };
  const dogs = { method: { name: "/dogs/GET" } };
  const ofCats = (limits = throttle) => [{ ...live, throttle: { "/cats/GET": limits } }, socket];
  const both = usage([key("alice"), key("bob")], [plan("P", { apiStages: ofCats() })], {
    P: ["alice", "bob"],
  });

  it("throttles this method of this stage for each key separately", () => {
    const { ask, pass } = underClock(both);
    expect(untilRefused(() => ask("alice", cats))).toBe(3);
    expect(untilRefused(() => ask("bob", cats))).toBe(3);
    expect([ask("alice", dogs), ask("alice", { ...socket, ...cats }), ask("alice")]).toEqual([
      "ok",
      "ok",
      "ok",
    ]);
    pass(500);
    expect([ask("alice", cats), ask("alice", cats)]).toEqual(["ok", "THROTTLED"]);
  });

  it("counts against the plan's throttle too, and a refused request counts against neither", () => {
    const plans = [plan("P", { apiStages: ofCats(), throttle: { rateLimit: 1, burstLimit: 5 } })];
    const { ask } = underClock(usage([key("alice")], plans, { P: ["alice"] }));
    expect(untilRefused(() => ask("alice", cats))).toBe(3);
    expect(ask("alice", cats)).toBe("THROTTLED");
    expect(untilRefused(() => ask("alice", dogs))).toBe(2);
  });

  it("applies a change to the next request and keeps the bucket's level", () => {
    const { ask, state } = underClock(both);
    expect(untilRefused(() => ask("alice", cats))).toBe(3);
    state.change({ usagePlans: [plan("P", { apiStages: ofCats({ rateLimit: 2, burstLimit: 9 }) })] });
    expect(ask("alice", cats)).toBe("THROTTLED");
    expect(untilRefused(() => ask("bob", cats))).toBe(9);
    state.change({ usagePlans: [plan("P")] });
    for (let times = 0; times < 10; times++) expect(ask("alice", cats)).toBe("ok");
  });
});

describe("a stage's throttle", () => {
  const ofStage = { rateLimit: 1, burstLimit: 2 };

  it("throttles all callers of a method together, after the limits of their keys", () => {
    const own = plan("P", { throttle: { rateLimit: 1, burstLimit: 1 } });
    const { ask, askWithoutKey } = underClock(
      usage([key("alice"), key("bob")], [own], { P: ["alice", "bob"] }),
    );
    expect(ask("alice", throttled(ofStage))).toBe("ok");
    // Exceeds Alice's own plan, which takes no token from the stage's bucket.
    expect(ask("alice", throttled(ofStage))).toBe("THROTTLED");
    expect(ask("bob", throttled(ofStage))).toBe("ok");
    expect(askWithoutKey(throttled(ofStage))).toBe("THROTTLED");
    expect(askWithoutKey(throttled(ofStage, "/pets/POST"))).toBe("ok");
  });

  it("takes no token from the caller's plan when the stage refuses", () => {
    const { ask } = underClock(usage([key("alice")], [plan("P", { throttle })], { P: ["alice"] }));
    const nothing = throttled({ rateLimit: 0, burstLimit: 0 });
    for (let times = 0; times < 5; times++) expect(ask("alice", nothing)).toBe("THROTTLED");
    expect(untilRefused(() => ask("alice"))).toBe(3);
  });
});

describe("the account's throttle", () => {
  it("throttles all APIs of the account together", () => {
    const { ask, askWithoutKey, pass } = underClock(usage([key("alice")], [plan("P")], { P: ["alice"] }));
    const { burstLimit, rateLimit } = accountThrottle;
    expect(untilRefused(() => ask("alice"))).toBe(burstLimit);
    expect(askWithoutKey(socket)).toBe("THROTTLED");
    pass(100);
    expect(untilRefused(() => askWithoutKey(socket))).toBe(rateLimit / 10);
  });
});

describe("a change of keys and plans", () => {
  const before = usage([key("alice")], [plan("P", { throttle })], { P: ["alice"] });

  it("applies a new throttle to the next request and keeps the bucket's level", () => {
    const { ask, pass, state } = underClock(before);
    expect(untilRefused(() => ask("alice"))).toBe(3);
    pass(500);
    state.change({ usagePlans: [plan("P", { throttle: { rateLimit: 10, burstLimit: 50 } })] });
    expect(untilRefused(() => ask("alice"))).toBe(1);
    pass(1_000);
    expect(untilRefused(() => ask("alice"))).toBe(10);
  });

  it("applies added, removed and disabled keys to the next request", () => {
    const { ask, state } = underClock(before);
    expect(ask("bob")).toBe("INVALID_API_KEY");
    const planKeys = [...before.planKeys, { from: "program" as const, usagePlanId: "P", keyId: "bob" }];
    state.change({ apiKeys: [...before.apiKeys, key("bob")], planKeys });
    expect(ask("bob")).toBe("ok");
    state.change({ apiKeys: [key("alice"), key("bob", { enabled: false })] });
    expect(ask("bob")).toBe("INVALID_API_KEY");
    state.change({ planKeys: before.planKeys, apiKeys: [key("alice"), key("bob")] });
    expect(ask("bob")).toBe("INVALID_API_KEY");
    expect(ask("alice")).toBe("ok");
  });

  it("adds a throttle to a plan and removes it", () => {
    const { ask, state } = underClock(before);
    expect(untilRefused(() => ask("alice"))).toBe(3);
    state.change({ usagePlans: [plan("P")] });
    for (let times = 0; times < 10; times++) expect(ask("alice")).toBe("ok");
    state.change({ usagePlans: [plan("P", { throttle: { rateLimit: 1, burstLimit: 2 } })] });
    expect(untilRefused(() => ask("alice"))).toBe(2);
  });
});

describe("admitPush", () => {
  it("shares only the account's limit with requests", () => {
    const state = createUsageState(usage([], [], {}));
    let now = 0;
    const plans = createUsagePlans(state, () => now, { rateLimit: 1, burstLimit: 3 });
    expect([plans.admitPush(), plans.admit(live).admitted, plans.admitPush()]).toEqual([true, true, true]);
    expect([plans.admitPush(), plans.admit(live).admitted]).toEqual([false, false]);
    now += 1000;
    expect([plans.admitPush(), plans.admitPush()]).toEqual([true, false]);
  });
});
