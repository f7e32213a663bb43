import type { APIGatewayClientConfig } from "@aws-sdk/client-api-gateway";
import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import {
  awsServices,
  type ControlPlaneOptions,
  createControlPlane,
  createUsageState,
  type Listener,
  listen,
  noUsage,
  pathOf,
  type Route,
  type Usage,
  type UsagePlan,
} from "cdk-local-runner/testing";
import { afterAll, beforeAll, beforeEach } from "vitest";
import type { FallbackKeyDeps } from "../../../lib/plans/make-fallback-keys.ts";
import {
  fallbackMethodThrottles,
  type MethodThrottles,
  methodThrottlesOf,
} from "../../../lib/plans/method-throttles.ts";
import type { MirrorDeps } from "../../../lib/plans/mirror.ts";
import { requestsPerMinute, type Throttle, throttleOf } from "../../../lib/plans/plan.ts";
import { type PlanStage, stageKey, withThrottles } from "../../../lib/plans/plan-stages.ts";
import type { SweepTimes } from "../../../lib/plans/sweep.ts";
import { openUsagePlans } from "../../../lib/plans/usage-plans.ts";
import type { Table } from "../../../lib/table/table.ts";
import { profileKey } from "../../../lib/users/item-keys.ts";
import { newProfile, type Profile } from "../../../lib/users/profile.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { putItems } from "../../support/items.ts";

export const start = new Date("2026-11-21T09:00:00.000Z");
export const minutes = (count: number) => count * 60_000;
export const later = (milliseconds: number) => new Date(start.getTime() + milliseconds);

/** Gives a sweep enough time to finish. */
export const inTime = (now: Date): SweepTimes => ({ now, deadline: new Date("2286-01-01") });

export const stages: readonly (PlanStage & { apiId: string; stage: string })[] = [
  { apiId: "Rest", stage: "live", methods: true },
  { apiId: "Socket", stage: "live" },
];
export const prefix = "Terminal/user/";
export const fallbackPrefix = "Terminal/fallback/";
export const sharedKey = "0123456789abcdef0123456789abcdef";
export const tierPlans = { Standard: "standard-plan", Pro: "pro-plan" };
export const fallbackPlan = "fallback-plan";
export const graceMs = minutes(2);

/** User of a test: a tier, or no user at all. */
export type User = Pick<Profile, "tier" | "requestsPerMinute"> | "nobody";

export const base: User = { tier: "Base" };
export const pro: User = { tier: "Pro" };
export const enterprise = (number: number): User => ({ tier: "Enterprise", requestsPerMinute: number });

/** Provides a table, and the control plane of API Gateway behind a socket, with the tier plans of the template. */
export function worldForTests() {
  const credentials = { accessKeyId: "known", secretAccessKey: "any" };
  const db = tableForTests();
  const faults: unknown[] = [];
  let server: Listener;
  let state = createUsageState(noUsage);
  let calls: string[] = [];
  let routes: Route[] = [];

  /** Starts over without keys. `before` may respond in place of the control plane. */
  function reset({ before, ...options }: Partial<ControlPlaneOptions> & { before?: Route } = {}): void {
    state = createUsageState({ ...noUsage, usagePlans: templatePlans() });
    const controlPlane = createControlPlane({ state, stages: new Set(stages.map(stageKey)), ...options });
    routes = before === undefined ? [controlPlane] : [before, controlPlane];
    calls = [];
  }

  const note: Route = (request) => {
    calls.push(`${request.method} ${pathOf(request)}`);
    return undefined;
  };
  const answer: Route = (request) => {
    for (const route of routes) {
      const answered = route(request);
      if (answered !== undefined) return answered;
    }
    return undefined;
  };

  beforeAll(async () => {
    const services = awsServices(credentials, [note, answer]);
    server = await listen(0, services, (error) => faults.push(error));
  });
  beforeEach(() => reset());
  afterAll(async () => {
    await server.close();
    if (faults.length > 0) throw faults[0];
  });

  return {
    get table(): Table {
      return db.table;
    },
    get usage() {
      return state.current;
    },
    /** Keys and plans that decide on requests. */
    get usageState() {
      return state;
    },
    /** Changes keys and plans without a call. */
    change: (part: Partial<Usage>) => state.change(part),
    /** Lists the calls to the control plane, such as `POST /apikeys`. */
    get calls(): readonly string[] {
      return calls;
    },
    reset,
    openPlans: (config: APIGatewayClientConfig = {}) =>
      openUsagePlans(
        { prefix, stages },
        { endpoint: server.url, region: "us-east-1", credentials, requestHandler: {}, ...config },
      ),
    /** Dependencies with a clock that stands still at `start`. */
    deps(parts: Partial<MirrorDeps> = {}): MirrorDeps {
      return { table: db.table, plans: this.openPlans(), tierPlans, graceMs, now: () => start, ...parts };
    },
    /** Dependencies for fallback keys, with the system's clock. */
    fallbackKeyDeps(parts: Partial<FallbackKeyDeps> = {}): FallbackKeyDeps {
      const plans = { ...this.openPlans(), prefix: fallbackPrefix };
      return {
        table: db.table,
        plans,
        planId: fallbackPlan,
        standardPlanId: tierPlans.Standard,
        sharedKey,
        wanted: 12,
        graceMs,
        now: () => new Date(),
        ...parts,
      };
    },
    /** Writes the profile of a user who came back after signing up, or deletes it. */
    async put(userID: string, user: User, changes: Partial<Profile> = {}): Promise<void> {
      const Key = profileKey(userID);
      if (user === "nobody") {
        await db.table.client.send(new DeleteCommand({ TableName: db.table.name, Key }));
        return;
      }
      const profile = newProfile({ _id: userID, userID, username: userID, refID: userID, now: start });
      const cameBack = { createdAt: later(-minutes(61)).toISOString() };
      await putItems(db.table, [{ ...Key, ...profile, ...cameBack, ...user, ...changes }]);
    },
  };
}

export type World = ReturnType<typeof worldForTests>;

/** A plan of the template, with throttles of methods on the stage of the REST API. */
const templatePlan = (name: string, id: string, throttle: Throttle, methods: MethodThrottles): UsagePlan => ({
  id,
  from: "template",
  name,
  apiStages: withThrottles(stages, methods),
  throttle,
});

function templatePlans(): UsagePlan[] {
  const [standard, pro] = [
    { requestsPerMinute: requestsPerMinute.Standard },
    { requestsPerMinute: requestsPerMinute.Pro },
  ];
  const fallback = throttleOf(standard);
  return [
    templatePlan("Standard", tierPlans.Standard, throttleOf(standard), methodThrottlesOf(standard)),
    templatePlan("Pro", tierPlans.Pro, throttleOf(pro), methodThrottlesOf(pro)),
    templatePlan("Fallback", fallbackPlan, fallback, fallbackMethodThrottles(fallback)),
  ];
}
