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
import { stageKey } from "../../../lib/aws/plan-stages.ts";
import type { Table } from "../../../lib/aws/table.ts";
import { profileKey } from "../../../lib/aws/table-keys.ts";
import { openUsagePlans } from "../../../lib/aws/usage-plans.ts";
import { requestsPerMinute, throttleOf } from "../../../lib/domain/plan.ts";
import { newProfile, type Profile } from "../../../lib/domain/profile.ts";
import type { Mirror } from "../../../lib/plans/mirror.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { putItems } from "../../support/items.ts";

export const start = new Date("2026-11-21T09:00:00.000Z");
export const minutes = (count: number) => count * 60_000;
export const later = (milliseconds: number) => new Date(start.getTime() + milliseconds);

export const stages = [
  { apiId: "Rest", stage: "live" },
  { apiId: "Socket", stage: "live" },
];
export const prefix = "Terminal/user/";
export const standing = { Standard: "standard-plan", Pro: "pro-plan" };
export const grace = minutes(2);

/** What a test says of a user: their tier, or that there is none. */
export type User = Pick<Profile, "tier" | "requestsPerMinute"> | "nobody";

export const base: User = { tier: "Base" };
export const pro: User = { tier: "Pro" };
export const enterprise = (number: number): User => ({ tier: "Enterprise", requestsPerMinute: number });

/** A table, and API Gateway's control plane behind a socket, with the plans of the template. */
export function worldForTests() {
  const credentials = { accessKeyId: "known", secretAccessKey: "any" };
  const db = tableForTests();
  const faults: unknown[] = [];
  let server: Listener;
  let state = createUsageState(noUsage);
  let calls: string[] = [];
  let routes: Route[] = [];

  /** Begins anew, with no user's keys. `before` may answer in place of the control plane. */
  function reset({ before, ...options }: Partial<ControlPlaneOptions> & { before?: Route } = {}): void {
    state = createUsageState({ ...noUsage, usagePlans: Object.keys(standing).map(standingPlan) });
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
    /** The keys and plans as they are now. */
    get usage() {
      return state.current;
    },
    /** Changes them behind everybody's back. */
    change: (part: Partial<Usage>) => state.change(part),
    /** The calls of the control plane, such as `POST /apikeys`. */
    get calls(): readonly string[] {
      return calls;
    },
    reset,
    openPlans: (config: APIGatewayClientConfig = {}) =>
      openUsagePlans(
        { prefix, stages },
        { endpoint: server.url, region: "us-east-1", credentials, requestHandler: {}, ...config },
      ),
    /** A mirror by whose clock it is `start`. */
    mirror(parts: Partial<Mirror> = {}): Mirror {
      return { table: db.table, plans: this.openPlans(), standing, grace, now: () => start, ...parts };
    },
    /** Writes a user's profile, or deletes it. */
    async put(userID: string, user: User, changes: Partial<Profile> = {}): Promise<void> {
      const Key = profileKey(userID);
      if (user === "nobody") {
        await db.table.client.send(new DeleteCommand({ TableName: db.table.name, Key }));
        return;
      }
      const profile = newProfile({ _id: userID, userID, username: userID, refID: userID, now: start });
      await putItems(db.table, [{ ...Key, ...profile, ...user, ...changes }]);
    },
  };
}

export type World = ReturnType<typeof worldForTests>;

function standingPlan(name: string): UsagePlan {
  const plan = name as keyof typeof standing;
  return {
    id: standing[plan],
    from: "template",
    name,
    apiStages: stages,
    throttle: throttleOf({ requestsPerMinute: requestsPerMinute[plan] }),
    createdDate: start.getTime(),
    tags: {},
  };
}
