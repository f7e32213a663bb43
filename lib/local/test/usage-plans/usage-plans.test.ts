import { describe, expect, test } from "vitest";
import { accountThrottle } from "../../src/usage-plans/usage-plans.ts";
import { key, live, plan, secretOf, socket, underClock, untilRefused, usage } from "./fixture.ts";

const throttle = { rateLimit: 2, burstLimit: 3 };

describe("a key", () => {
  const keys = [key("alice"), key("bob"), key("carol", { enabled: false })];
  const plans = [plan("P"), plan("Q", { apiStages: [socket] })];
  const known = usage(keys, plans, { P: ["alice", "carol"], Q: ["bob"] });
  const { ask, plans: usagePlans } = underClock(known);
  const admit = (value: string | undefined, stage = live) =>
    usagePlans.admit({ ...stage, method: "/pets/GET", apiKey: { value } });

  test("in a plan of the stage is admitted, with its id", () => {
    expect(admit(secretOf("alice"))).toEqual({ admitted: true, apiKeyId: "alice" });
    expect(admit(secretOf("bob"), socket)).toEqual({ admitted: true, apiKeyId: "bob" });
  });

  test.each([
    ["that is missing", undefined, "the caller has no API key"],
    ["that is empty", "", "the caller has no API key"],
    ["that nobody made", "nobody", "the caller's API key does not exist"],
    ["that is disabled", secretOf("carol"), "the API key carol is disabled"],
    ["in no plan of the stage", secretOf("bob"), "the API key bob is in no usage plan of Api:live"],
  ])("%s is refused, and the reason does not tell it", (_, value, reason) => {
    expect(admit(value)).toEqual({ admitted: false, refusal: "INVALID_API_KEY", reason });
  });

  test("is not asked for where none is required", () => {
    expect(usagePlans.admit({ ...live, method: "/health/GET" })).toEqual({ admitted: true });
  });

  test("is known by its value", () => {
    expect(usagePlans.identify(secretOf("carol"))).toBe("carol");
    expect(usagePlans.identify("nobody")).toBeUndefined();
    expect(ask("alice", { stage: "other" })).toBe("INVALID_API_KEY");
  });
});

describe("a plan's throttle", () => {
  test("is each key's own", () => {
    const both = usage([key("alice"), key("bob")], [plan("P", { throttle })], { P: ["alice", "bob"] });
    const { ask, pass } = underClock(both);
    expect(untilRefused(() => ask("alice"))).toBe(3);
    expect(ask("alice")).toBe("THROTTLED");
    expect(untilRefused(() => ask("bob"))).toBe(3);
    pass(500);
    expect([ask("alice"), ask("alice")]).toEqual(["ok", "THROTTLED"]);
  });

  test("is one for all stages and methods of the plan", () => {
    const shared = usage([key("alice")], [plan("P", { throttle, apiStages: [live, socket] })], {
      P: ["alice"],
    });
    const { ask } = underClock(shared);
    expect(ask("alice")).toBe("ok");
    expect(ask("alice", { method: "/pets/POST" })).toBe("ok");
    expect(ask("alice", { ...socket, method: "$connect" })).toBe("ok");
    expect(ask("alice")).toBe("THROTTLED");
    expect(ask("alice", { ...socket, method: "$connect" })).toBe("THROTTLED");
  });

  test("is not shared by plans", () => {
    const split = usage(
      [key("alice")],
      [plan("P", { throttle }), plan("Q", { throttle, apiStages: [socket] })],
      {
        P: ["alice"],
        Q: ["alice"],
      },
    );
    const { ask } = underClock(split);
    expect(untilRefused(() => ask("alice"))).toBe(3);
    expect(untilRefused(() => ask("alice", socket))).toBe(3);
  });

  test("does not count requests for methods that require no key", () => {
    const { ask, askWithoutKey } = underClock(
      usage([key("alice")], [plan("P", { throttle })], { P: ["alice"] }),
    );
    for (let times = 0; times < 10; times++) expect(askWithoutKey()).toBe("ok");
    expect(untilRefused(() => ask("alice"))).toBe(3);
  });
});

test("a method's throttle is of that method and stage alone, beside the plan's", () => {
  const limited = { ...live, throttle: { "/pets/GET": { rateLimit: 1, burstLimit: 1 } } };
  const { ask, pass } = underClock(
    usage([key("alice"), key("bob")], [plan("P", { throttle, apiStages: [limited] })], {
      P: ["alice", "bob"],
    }),
  );
  expect([ask("alice"), ask("alice")]).toEqual(["ok", "THROTTLED"]);
  expect(untilRefused(() => ask("alice", { method: "/pets/POST" }))).toBe(2);
  expect(ask("bob")).toBe("ok");
  pass(1_000);
  expect([ask("alice"), ask("alice")]).toEqual(["ok", "THROTTLED"]);
});

describe("a quota", () => {
  const quota = { limit: 4, offset: 0, period: "DAY" } as const;

  test("is each key's own, and over when the day is", () => {
    const both = usage([key("alice"), key("bob")], [plan("P", { quota })], { P: ["alice", "bob"] });
    const { ask, pass } = underClock(both);
    expect(untilRefused(() => ask("alice"))).toBe(4);
    expect([ask("alice"), ask("bob")]).toEqual(["QUOTA_EXCEEDED", "ok"]);
    pass(86_400_000);
    expect(ask("alice")).toBe("ok");
  });

  test("is not used up by requests that are throttled, nor are tokens by those beyond the quota", () => {
    const { ask, pass, state } = underClock(
      usage([key("alice")], [plan("P", { quota, throttle })], { P: ["alice"] }),
    );
    expect(untilRefused(() => ask("alice"))).toBe(3);
    expect(ask("alice")).toBe("THROTTLED");
    pass(500);
    expect(ask("alice")).toBe("ok");
    pass(1_500);
    expect([ask("alice"), ask("alice")]).toEqual(["QUOTA_EXCEEDED", "QUOTA_EXCEEDED"]);
    state.change({ usagePlans: [plan("P", { throttle })] });
    expect(untilRefused(() => ask("alice"))).toBe(3);
  });
});

describe("a stage's throttle", () => {
  const stageThrottle = { rateLimit: 1, burstLimit: 2 };

  test("is everybody's, each method's own, and comes after the callers' own limits", () => {
    const { ask, askWithoutKey } = underClock(
      usage([key("alice"), key("bob")], [plan("P", { throttle: { rateLimit: 1, burstLimit: 1 } })], {
        P: ["alice", "bob"],
      }),
    );
    const call = (id: string, method = "/pets/GET") => ask(id, { throttle: stageThrottle, method });
    expect(call("alice")).toBe("ok");
    // Alice's second request is her own fault, and costs the others nothing.
    expect(call("alice")).toBe("THROTTLED");
    expect(call("bob")).toBe("ok");
    expect(askWithoutKey({ throttle: stageThrottle })).toBe("THROTTLED");
    expect(askWithoutKey({ throttle: stageThrottle, method: "/pets/POST" })).toBe("ok");
  });

  test("that refuses costs the caller nothing", () => {
    const { ask } = underClock(usage([key("alice")], [plan("P", { throttle })], { P: ["alice"] }));
    const none = { rateLimit: 0, burstLimit: 0 };
    for (let times = 0; times < 5; times++) expect(ask("alice", { throttle: none })).toBe("THROTTLED");
    expect(untilRefused(() => ask("alice", { method: "/pets/POST" }))).toBe(3);
  });
});

test("the account's throttle is last, and one for all APIs", () => {
  const { ask, askWithoutKey, pass } = underClock(usage([key("alice")], [plan("P")], { P: ["alice"] }));
  const { burstLimit, rateLimit } = accountThrottle;
  expect(untilRefused(() => ask("alice"))).toBe(burstLimit);
  expect(askWithoutKey(socket)).toBe("THROTTLED");
  pass(100);
  expect(untilRefused(() => askWithoutKey(socket))).toBe(rateLimit / 10);
});

describe("what changes counts from the next request on", () => {
  const before = usage([key("alice")], [plan("P", { throttle })], { P: ["alice"] });

  test("a plan's rate, with the bucket as full as it was", () => {
    const { ask, pass, state } = underClock(before);
    expect(untilRefused(() => ask("alice"))).toBe(3);
    pass(500);
    state.change({ usagePlans: [plan("P", { throttle: { rateLimit: 10, burstLimit: 50 } })] });
    expect(untilRefused(() => ask("alice"))).toBe(1);
    pass(1_000);
    expect(untilRefused(() => ask("alice"))).toBe(10);
  });

  test("a key that comes, goes, and is disabled", () => {
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

  test("a throttle and a quota that come and go", () => {
    const { ask, state } = underClock(before);
    expect(untilRefused(() => ask("alice"))).toBe(3);
    state.change({ usagePlans: [plan("P", { quota: { limit: 2, offset: 0, period: "DAY" } })] });
    expect(untilRefused(() => ask("alice"))).toBe(2);
    expect(ask("alice")).toBe("QUOTA_EXCEEDED");
  });
});
