import { setTimeout as pause } from "node:timers/promises";
import { GetUsagePlanCommand } from "@aws-sdk/client-api-gateway";
import { describe, expect, vi } from "vitest";
import { isAttached, keysWithPrefix } from "../../../lib/plans/api-keys.ts";
import { customerPlans } from "../../../lib/plans/customer-plans.ts";
import { methodThrottlesOf, sameMethodThrottles } from "../../../lib/plans/method-throttles.ts";
import { type Plan, requestsPerMinute, sameThrottle, throttleOf } from "../../../lib/plans/plan.ts";
import { coverageOf } from "../../../lib/plans/plan-stages.ts";
import { planTag } from "../../../lib/plans/usage-plans.ts";
import { type ActiveKey, readUserKeyRecord } from "../../../lib/plans/user-key-records.ts";
import { changeUser } from "../../../lib/tools/admin/commands/set-user.ts";
import { newEvmKey } from "../../support/keys.ts";
import { get } from "../support/client.ts";
import { importWallet } from "../support/terminal.ts";
import { it, service } from "./support/check.ts";

/** mirrorPlans may have to create keys for other users first, and API Gateway accepts 5 new keys a second. */
const mirroring = { timeout: 120_000, interval: 500 };

/** More requests than the largest burst of a plan. */
const customersRequestsPerMinute = 6000;

const { table, plans: target } = service;
const { plans, tierPlans } = target;

/** Waits until the user has a key on the plan of this name. */
const keyOn = (plan: Plan["name"], userID: string): Promise<ActiveKey> =>
  vi.waitFor(async () => {
    const { current } = (await readUserKeyRecord(table, userID)) ?? {};
    expect(current?.plan.name, "The plan of the user's key").toBe(plan);
    return current as ActiveKey;
  }, mirroring);

async function all<Each>(each: AsyncIterable<Each>): Promise<Each[]> {
  const found: Each[] = [];
  for await (const one of each) found.push(one);
  return found;
}

describe("the usage plan", () => {
  it.for(["Standard", "Pro"] as const)(
    "keeps a fractional rate, a burst of up to 5000 and throttles of methods in %s",
    async (name) => {
      const { throttle = {}, apiStages = [] } = await plans.client.send(
        new GetUsagePlanCommand({ usagePlanId: tierPlans[name] }),
      );
      const wanted = throttleOf({ requestsPerMinute: requestsPerMinute[name] });
      if (!sameThrottle(throttle, wanted)) expect(throttle).toEqual(wanted);
      const methods = methodThrottlesOf({ requestsPerMinute: requestsPerMinute[name] });
      const found = apiStages.find(({ throttle }) => throttle !== undefined)?.throttle;
      if (!sameMethodThrottles(found, methods)) expect(found).toEqual(methods);
    },
  );
});

describe("mirrorPlans", () => {
  it("creates a key with the user's name and tag, on the plan Standard", async ({ user }) => {
    // A user with a wallet counts as active and gets a key.
    expect((await importWallet(user, newEvmKey())).status).toBe(200);
    const { name, keyId } = await keyOn("Standard", user.id);
    const keys = await all(keysWithPrefix(plans));
    expect(keys).toContainEqual({ id: keyId, name, tagged: true });
    expect(await isAttached(plans, tierPlans.Standard, keyId), "The key is on its plan").toBe(true);
  });

  it("creates a key that API Gateway accepts after keyGraceSeconds", async ({ user, minutes: _ }) => {
    const { activeFrom } = await keyOn("Standard", user.id);
    // An authorizer may cache the missing key for two seconds.
    await pause(Math.max(0, Date.parse(activeFrom) - Date.now()) + 3000);
    for (let call = 1; call <= 10; call++) {
      expect((await get("/listWallets", user)).status).toBe(200);
      await pause(1000);
    }
  });

  it("may create a tagged plan on both stages for an Enterprise customer", async ({ user }) => {
    const wanted = { tier: "Enterprise", requestsPerMinute: customersRequestsPerMinute } as const;
    await changeUser(table, user.id, wanted, new Date());
    const { planId } = await keyOn("Enterprise", user.id);
    const made = (await all(customerPlans(plans))).find(({ id }) => id === planId);
    expect({ ...made, stages: coverageOf(made?.stages ?? []) }).toMatchObject({
      tagged: true,
      stages: coverageOf(plans.stages),
    });
    if (!sameThrottle(made?.throttle ?? {}, throttleOf(wanted)))
      expect(made?.throttle).toEqual(throttleOf(wanted));
  });
});

describe("deleteRetiredKeys", () => {
  it("cannot delete a key without the tag", async ({ deployed }) => {
    const call = {
      action: "apigateway:DELETE",
      resource: `arn:aws:apigateway:${deployed.region}::/apikeys/x`,
    };
    const may = (tags: Record<string, string>) => deployed.mayCall("deleteRetiredKeys", { ...call, tags });
    const allowed = { tagged: await may({ [planTag]: plans.prefix }), untagged: await may({}) };
    expect(allowed).toEqual({ tagged: true, untagged: false });
  });
});
