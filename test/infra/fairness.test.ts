import { createUsagePlans, createUsageState, type Usage } from "cdk-local-runner/testing";
import { describe, expect, it } from "vitest";
import { servedMethods } from "../../lib/operations/operations.ts";
import { only, propertiesOf, synthesize } from "./synthesized.ts";

type Limits = { RateLimit: number; BurstLimit: number };
type PlanProperties = {
  UsagePlanName: string;
  Throttle: Limits;
  ApiStages: { Throttle?: Record<string, Limits> }[];
};
type MethodSetting = {
  HttpMethod: string;
  ResourcePath: string;
  ThrottlingRateLimit: number;
  ThrottlingBurstLimit: number;
};

const { api } = synthesize();
const plans = propertiesOf<PlanProperties>(api, "AWS::ApiGateway::UsagePlan");
const { MethodSettings } = only<{ MethodSettings: MethodSetting[] }>(
  api,
  "AWS::ApiGateway::Stage",
).Properties;

const stage = { apiId: "Rest", stage: "live" };
const throttle = ({ RateLimit, BurstLimit }: Limits) => ({ rateLimit: RateLimit, burstLimit: BurstLimit });

/** Throttle of the stage for all callers of a method together. */
function stageThrottle(method: string) {
  const found = MethodSettings.find(
    ({ ResourcePath, HttpMethod }) =>
      `${ResourcePath.slice(1).replaceAll("~1", "/")}/${HttpMethod}` === method,
  );
  if (found === undefined) throw new Error(`The stage has no setting for ${method}`);
  return { rateLimit: found.ThrottlingRateLimit, burstLimit: found.ThrottlingBurstLimit };
}

function planNamed(planName: string): PlanProperties {
  const plan = plans.find(({ UsagePlanName }) => UsagePlanName === `TerminalApi/${planName}`);
  if (plan === undefined) throw new Error(`The template has no plan ${planName}`);
  return plan;
}

/** Groups methods by their limits in the plan and in the stage, because the methods of a group are refused alike. */
function methodsByLimits(planName: string): string[][] {
  const ofPlan = planNamed(planName).ApiStages[0]?.Throttle ?? {};
  // Leaves out HEAD, which only monitors send.
  const methods = servedMethods
    .filter((each) => each.method !== "HEAD")
    .map(({ path, method }) => `${path}/${method}`);
  const limitsOf = (method: string) => JSON.stringify([stageThrottle(method), ofPlan[method]]);
  return Object.values(Object.groupBy(methods, limitsOf)).map((group = []) => group);
}

/** Keys on a plan of the template, one for each user. */
function usageOf(
  planName: string,
  users: readonly string[],
  { hasMethodThrottles, hasBursts }: { hasMethodThrottles: boolean; hasBursts: boolean },
): Usage {
  const plan = planNamed(planName);
  const ofMethods = Object.entries(plan.ApiStages[0]?.Throttle ?? {}).map(([method, limits]) => [
    method,
    throttle(limits),
  ]);
  const apiStages = [{ ...stage, ...(hasMethodThrottles && { throttle: Object.fromEntries(ofMethods) }) }];
  const origin = { from: "template" } as const;
  const { rateLimit, burstLimit } = throttle(plan.Throttle);
  const ofPlan = { rateLimit, burstLimit: hasBursts ? burstLimit : 1 };
  return {
    usagePlans: [{ ...origin, id: "plan", name: planName, apiStages, throttle: ofPlan }],
    apiKeys: users.map((id) => ({ ...origin, id, value: id, enabled: true, createdDate: 0 })),
    planKeys: users.map((keyId) => ({ ...origin, usagePlanId: "plan", keyId })),
  };
}

type Attack = {
  plan: string;
  method: string;
  busy: number;
  seconds?: number;
  hasMethodThrottles?: boolean;
  /** False once the users have spent what their plans allow at once. */
  hasBursts?: boolean;
};

/** Counts refusals of a user who asks once a second, while others send 500 requests a second each. */
function refusalsOfPatient({
  plan,
  method,
  busy,
  seconds = 15,
  hasMethodThrottles = true,
  hasBursts = true,
}: Attack): number {
  const attackers = Array.from({ length: busy }, (_, index) => `busy ${index}`);
  let now = 0;
  const usagePlans = createUsagePlans(
    createUsageState(usageOf(plan, ["patient", ...attackers], { hasMethodThrottles, hasBursts })),
    () => now,
  );
  const called = { ...stage, method: { name: method, throttle: stageThrottle(method) } };
  const isAdmitted = (user: string) => usagePlans.admit({ ...called, apiKey: { value: user } }).admitted;
  let refused = 0;
  for (; now < seconds * 1000; now += 2) {
    for (const user of attackers) isAdmitted(user);
    if (now % 1000 === 998 && !isAdmitted("patient")) refused++;
  }
  return refused;
}

const charts = "/api/v2/markets/{chain}/{token}/candles/GET";

const cancel = "/api/v2/orders/{orderId}/cancel/POST";

describe("a patient user among users who send as fast as possible", () => {
  it.each(["Standard", "Pro", "Fallback"])("gets each answer next to two busy users of %s", (plan) => {
    for (const [method = "", ...others] of methodsByLimits(plan))
      expect(refusalsOfPatient({ plan, method, busy: 2, seconds: 12 }), `${[method, ...others]}`).toBe(0);
  });

  it("gets no charts without the throttles of methods in the plans", () => {
    const attack = { plan: "Pro", method: charts, busy: 2 };
    expect(refusalsOfPatient({ ...attack, hasMethodThrottles: false })).toBeGreaterThan(5);
  });

  it.each([
    ["Standard", 50],
    ["Pro", 10],
  ])("gets each cheap answer next to busy users of %s, %i of them, after the first minute", (plan, busy) => {
    const attack = { plan, busy, seconds: 12, hasBursts: false };
    for (const method of ["/listWallets/GET", "/api/v2/redemptions/GET", "/api/v2/wallets/{walletId}/PATCH"])
      expect(refusalsOfPatient({ ...attack, method }), method).toBe(0);
  });

  it("can cancel an order next to 60 busy users", () => {
    expect(refusalsOfPatient({ plan: "Standard", method: cancel, busy: 60, seconds: 2 })).toBe(0);
  });
});
