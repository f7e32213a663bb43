import { describe, expect, it } from "vitest";
import type { Tier } from "../../lib/core/tier.ts";
import type { CustomerPlan } from "../../lib/plans/customer-plans.ts";
import { driftIn, type PlanState } from "../../lib/plans/drift.ts";
import { type MethodThrottles, methodThrottlesOf } from "../../lib/plans/method-throttles.ts";
import { type Plan, planOf, throttleOf } from "../../lib/plans/plan.ts";
import { coverageOf, withThrottles } from "../../lib/plans/plan-stages.ts";
import type { KeyUser } from "../../lib/plans/user-key.ts";
import type { ActiveKey, UserKeyRecord } from "../../lib/plans/user-key-records.ts";
import { later, minutes, stages, start, tierPlans } from "./support/world.ts";

const expected = { plans: { stages }, tierPlans };

const planned = (tier: Tier, requestsPerMinute?: number): KeyUser => ({
  userID: "alice",
  tier,
  ...(requestsPerMinute !== undefined && { requestsPerMinute }),
  walletCount: 1,
  createdAt: start.toISOString(),
  lastVisited: start.toISOString(),
});

/** Returns the key that a user with this profile should have. */
function attached(profile: KeyUser, changes: Partial<ActiveKey> = {}): ActiveKey {
  const plan = planOf(profile);
  return {
    name: "alice/1",
    value: "the value",
    plan,
    keyId: "key",
    planId: plan.name === "Enterprise" ? "own" : tierPlans[plan.name],
    coverage: coverageOf(stages),
    activeFrom: start.toISOString(),
    ...changes,
  };
}

const record = (parts: Partial<UserKeyRecord>): ReadonlyMap<string, UserKeyRecord> =>
  new Map([["alice", { userID: "alice", version: 1, ...parts }]]);

/** Returns the plan that a customer should have, with changes. */
const customerPlan = (plan: Plan, changes: Partial<CustomerPlan> = {}): CustomerPlan => ({
  id: "own",
  name: "alice/1",
  throttle: throttleOf(plan),
  stages: withThrottles(stages, methodThrottlesOf(plan)),
  tagged: true,
  ...changes,
});

/** Makes a state for one user that differs from the correct state only by the given changes. */
function stateOf(profile: KeyUser, changes: Partial<PlanState> = {}): PlanState {
  const current = attached(profile);
  const own = customerPlan(current.plan);
  return {
    profiles: new Map([["alice", profile]]),
    keyRecords: record({ current }),
    retired: new Set(),
    isFull: false,
    keys: new Map([["key", { id: "key", name: "alice/1", tagged: true }]]),
    attachments: new Map([["key", current.planId]]),
    customerPlans: current.plan.name === "Enterprise" ? new Map([["own", own]]) : new Map(),
    ...changes,
  };
}

/** Changes the customer's plan, but keeps its id. */
const ownPlan = (changes: Partial<CustomerPlan>) => ({
  customerPlans: new Map([["own", customerPlan(planOf(customer), changes)]]),
});

/** Returns the stages of the customer's plan with changed throttles of methods. */
const withMethods = (change: (throttles: MethodThrottles) => MethodThrottles) => ({
  stages: withThrottles(stages, change(methodThrottlesOf(planOf(customer)))),
});

const charts = "/api/v2/markets/{chain}/{token}/candles/GET";

const base = planned("Base");
const customer = planned("Enterprise", 6000);
const key = (id: string, name: string, tagged = true) => [id, { id, name, tagged }] as const;
const next = { name: "alice/2", value: "the next value", plan: planOf(base) };
const nobody = new Map<string, KeyUser>();

describe("driftIn without a difference", () => {
  it.each([
    ["a user with a key on the plan of the tier", stateOf(base)],
    ["a customer with a key on their own plan", stateOf(customer)],
    ["a customer without a rate limit on the Pro plan", stateOf(planned("Enterprise"))],
    [
      "a pending key, created or not",
      stateOf(base, {
        keyRecords: record({ current: attached(base), next }),
        keys: new Map([key("key", "alice/1"), key("other", "alice/2")]),
      }),
    ],
    [
      "retired keys",
      stateOf(base, {
        keys: new Map([key("key", "alice/1"), key("old", "alice/0")]),
        retired: new Set(["alice/0"]),
      }),
    ],
    ["no users", stateOf(base, { profiles: nobody, keyRecords: new Map(), keys: new Map() })],
  ])("finds no difference for %s", (_, state) => {
    expect(driftIn(state, expected, start)).toEqual([]);
  });

  it("finds no difference for a user who has only signed up, with or without a key", () => {
    const newcomer = { ...base, walletCount: 0 };
    const none = { keyRecords: new Map(), keys: new Map(), attachments: new Map() };
    for (const state of [stateOf(newcomer), stateOf(newcomer, none)])
      expect(driftIn(state, expected, start)).toEqual([]);
  });

  it("finds no difference for an idle user without a key, unless the user is a customer", () => {
    const time = later(minutes(31 * 24 * 60));
    const none = { keyRecords: new Map(), keys: new Map(), attachments: new Map(), customerPlans: new Map() };
    expect(driftIn(stateOf(base, none), expected, time)).toEqual([]);
    expect(driftIn(stateOf(customer, none), expected, time)).toEqual([
      { what: "not mirrored", userID: "alice" },
    ]);
  });
});

describe("driftIn in a full account", () => {
  const full = { isFull: true, keyRecords: new Map(), keys: new Map(), attachments: new Map() };
  it.each([
    ["nothing for a user of Standard without a key, or with a pending one", base, []],
    ["a user of Pro without a key", planned("Pro"), [{ what: "not mirrored", userID: "alice" }]],
  ])("finds the difference: %s", (_, profile, found) => {
    for (const keyRecords of [new Map(), record({ next })])
      expect(driftIn(stateOf(profile, { ...full, keyRecords }), expected, start)).toEqual(found);
  });

  it("notices that a Standard user's key is missing", () => {
    const state = stateOf(base, { isFull: true, keys: new Map(), attachments: new Map() });
    expect(driftIn(state, expected, start)).toEqual([{ what: "lost key", userID: "alice", id: "key" }]);
  });
});

describe("driftIn with a difference", () => {
  const elsewhere = coverageOf([{ apiId: "Rest", stage: "live" }]);
  it.each([
    ["no record", base, { keyRecords: new Map(), keys: new Map() }, ["not mirrored"]],
    ["nothing but a pending key", base, { keyRecords: record({ next }), keys: new Map() }, ["not mirrored"]],
    ["a record of another tier", planned("Pro"), stateOf(base), ["not mirrored"]],
    ["a record of another rate limit", planned("Enterprise", 7000), stateOf(customer), ["not mirrored"]],
    [
      "a record of another API",
      base,
      { keyRecords: record({ current: attached(base, { coverage: elsewhere }) }) },
      ["not mirrored"],
    ],
    [
      "a record of another tier plan",
      base,
      {
        keyRecords: record({ current: attached(base, { planId: "old" }) }),
        attachments: new Map([["key", "old"]]),
      },
      ["not mirrored"],
    ],
    ["a key that is gone", base, { keys: new Map(), attachments: new Map() }, ["lost key key"]],
    ["a key on no plan", base, { attachments: new Map() }, ["detached key key"]],
    ["a key on another plan", base, { attachments: new Map([["key", tierPlans.Pro]]) }, ["detached key key"]],
    ["a deleted user", base, { profiles: nobody }, ["left record"]],
    [
      "a key that is not on record",
      base,
      { keys: new Map([key("key", "alice/1"), key("a", "alice/9"), key("b", "bob/x/1")]) },
      ["orphan key a", "orphan key b"],
    ],
    [
      "keys without a tag, including retired ones",
      base,
      {
        keys: new Map([
          key("key", "alice/1", false),
          key("old", "alice/0", false),
          key("a", "alice/9", false),
        ]),
        retired: new Set(["alice/0"]),
      },
      ["orphan key a", "untagged key key", "untagged key old"],
    ],
    ["a customer's plan without a tag", customer, ownPlan({ tagged: false }), ["untagged plan own"]],
    [
      "a second plan of a customer",
      customer,
      {
        customerPlans: new Map(["own", "twin"].map((id) => [id, customerPlan(planOf(customer), { id })])),
      },
      ["orphan plan twin"],
    ],
    [
      "a customer's plan with another throttle",
      customer,
      ownPlan({ throttle: { rateLimit: 1 } }),
      ["stale plan own"],
    ],
    ["a customer's plan with other stages", customer, ownPlan({ stages: [] }), ["stale plan own"]],
    [
      "a customer's plan without throttles of methods",
      customer,
      ownPlan({ stages: stages.map(({ apiId, stage }) => ({ apiId, stage })) }),
      ["stale plan own"],
    ],
    [
      "a customer's plan with another throttle of a method",
      customer,
      ownPlan(withMethods((throttles) => ({ ...throttles, [charts]: { rateLimit: 999, burstLimit: 999 } }))),
      ["stale plan own"],
    ],
    [
      "a customer's plan without the throttle of a method",
      customer,
      ownPlan(withMethods(({ [charts]: _, ...others }) => others)),
      ["stale plan own"],
    ],
    [
      "a customer's plan that throttles another method",
      customer,
      ownPlan(
        withMethods((throttles) => ({ ...throttles, "/listWallets/GET": throttleOf(planOf(customer)) })),
      ),
      ["stale plan own"],
    ],
  ] as [string, KeyUser, Partial<PlanState>, string[]][])(
    "finds the difference: %s",
    (_, profile, changes, found) => {
      const state = {
        ...stateOf(profile, changes),
        profiles: changes.profiles === nobody ? nobody : new Map([["alice", profile]]),
      };
      const drifts = driftIn(state, expected, start);
      expect(drifts.map((drift) => ("id" in drift ? `${drift.what} ${drift.id}` : drift.what))).toEqual(
        found,
      );
    },
  );
});
