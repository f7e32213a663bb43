import { describe, expect, it } from "vitest";
import { coverageOf } from "../../lib/aws/plan-stages.ts";
import type { ActiveKey, UserKeyRecord } from "../../lib/aws/user-key-records.ts";
import { planOf, throttleOf } from "../../lib/domain/plan.ts";
import type { Tier } from "../../lib/domain/tier.ts";
import { driftIn, type Planned, type PlanState } from "../../lib/plans/drift.ts";
import { later, minutes, stages, standing, start } from "./support/world.ts";

const standard = { plans: { stages }, standing };

const planned = (tier: Tier, requestsPerMinute?: number): Planned => ({
  userID: "alice",
  tier,
  ...(requestsPerMinute !== undefined && { requestsPerMinute }),
  lastVisited: start.toISOString(),
});

/** The key of a user whose profile says that. */
function attached(profile: Planned, changes: Partial<ActiveKey> = {}): ActiveKey {
  const plan = planOf(profile);
  return {
    name: "alice/1",
    value: "the value",
    plan,
    keyID: "key",
    planID: plan.name === "Enterprise" ? "own" : standing[plan.name],
    coverage: coverageOf(stages),
    activeFrom: start.toISOString(),
    ...changes,
  };
}

const record = (parts: Partial<UserKeyRecord>): ReadonlyMap<string, UserKeyRecord> =>
  new Map([["alice", { userID: "alice", version: 1, ...parts }]]);

/** A world in which everything is as it should be for a user, but for what a test changes. */
function world(profile: Planned, changes: Partial<PlanState> = {}): PlanState {
  const current = attached(profile);
  const own = { id: "own", name: "alice/1", throttle: throttleOf(current.plan), stages };
  return {
    profiles: new Map([["alice", profile]]),
    keyRecords: record({ current }),
    retired: new Set(),
    keys: new Map([["key", { id: "key", name: "alice/1" }]]),
    attachments: new Map([["key", current.planID]]),
    customerPlans: current.plan.name === "Enterprise" ? new Map([["own", own]]) : new Map(),
    ...changes,
  };
}

const base = planned("Base");
const customer = planned("Enterprise", 6000);
const key = (id: string, name: string) => [id, { id, name }] as const;
const next = { name: "alice/2", value: "the next value", plan: planOf(base) };
const nobody = new Map<string, Planned>();

describe("nothing differs", () => {
  it.each([
    ["with a key on the plan of the tier", world(base)],
    ["with a key on a plan of their own", world(customer)],
    ["with the plan of Pro for who has no number yet", world(planned("Enterprise"))],
    [
      "with a next key, made or not",
      world(base, {
        keyRecords: record({ current: attached(base), next }),
        keys: new Map([key("key", "alice/1"), key("other", "alice/2")]),
      }),
    ],
    [
      "with retired keys",
      world(base, {
        keys: new Map([key("key", "alice/1"), key("old", "alice/0")]),
        retired: new Set(["alice/0"]),
      }),
    ],
    ["without anybody", world(base, { profiles: nobody, keyRecords: new Map(), keys: new Map() })],
  ])("%s", (_, state) => {
    expect(driftIn(state, standard, start)).toEqual([]);
  });

  it("for an idle user without a key, but for a customer", () => {
    const time = later(minutes(31 * 24 * 60));
    const none = { keyRecords: new Map(), keys: new Map(), attachments: new Map(), customerPlans: new Map() };
    expect(driftIn(world(base, none), standard, time)).toEqual([]);
    expect(driftIn(world(customer, none), standard, time)).toEqual([
      { what: "not mirrored", userID: "alice" },
    ]);
  });
});

describe("what differs", () => {
  const elsewhere = coverageOf([{ apiId: "Rest", stage: "live" }]);
  it.each([
    ["no record", base, { keyRecords: new Map(), keys: new Map() }, ["not mirrored"]],
    ["a next key alone", base, { keyRecords: record({ next }), keys: new Map() }, ["not mirrored"]],
    ["a record of another tier", planned("Pro"), world(base), ["not mirrored"]],
    ["a record of another number", planned("Enterprise", 7000), world(customer), ["not mirrored"]],
    [
      "a record of another API",
      base,
      { keyRecords: record({ current: attached(base, { coverage: elsewhere }) }) },
      ["not mirrored"],
    ],
    [
      "a record of another standing plan",
      base,
      {
        keyRecords: record({ current: attached(base, { planID: "old" }) }),
        attachments: new Map([["key", "old"]]),
      },
      ["not mirrored"],
    ],
    ["a key that is gone", base, { keys: new Map(), attachments: new Map() }, ["lost key key"]],
    ["a key on no plan", base, { attachments: new Map() }, ["detached key key"]],
    ["a key on another plan", base, { attachments: new Map([["key", standing.Pro]]) }, ["detached key key"]],
    ["a user who is gone", base, { profiles: nobody }, ["left record"]],
    [
      "a key that nobody knows",
      base,
      { keys: new Map([key("key", "alice/1"), key("a", "alice/9"), key("b", "bob/x/1")]) },
      ["orphan key a", "orphan key b"],
    ],
    [
      "a second plan of a customer's",
      customer,
      {
        customerPlans: new Map(
          ["own", "twin"].map((id) => [
            id,
            { id, name: "alice/1", throttle: throttleOf(planOf(customer)), stages },
          ]),
        ),
      },
      ["orphan plan twin"],
    ],
    [
      "a customer's plan with other numbers",
      customer,
      {
        customerPlans: new Map([["own", { id: "own", name: "alice/1", throttle: { rateLimit: 1 }, stages }]]),
      },
      ["stale plan own"],
    ],
    [
      "a customer's plan with other stages",
      customer,
      {
        customerPlans: new Map([
          ["own", { id: "own", name: "alice/1", throttle: throttleOf(planOf(customer)), stages: [] }],
        ]),
      },
      ["stale plan own"],
    ],
  ] as [string, Planned, Partial<PlanState>, string[]][])("%s", (_, profile, changes, found) => {
    const state = {
      ...world(profile, changes),
      profiles: changes.profiles === nobody ? nobody : new Map([["alice", profile]]),
    };
    const drifts = driftIn(state, standard, start);
    expect(drifts.map((drift) => ("id" in drift ? `${drift.what} ${drift.id}` : drift.what))).toEqual(found);
  });
});
