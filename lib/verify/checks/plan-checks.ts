import { setTimeout as pause } from "node:timers/promises";
import { GetUsagePlanCommand } from "@aws-sdk/client-api-gateway";
import { changeUser } from "../../admin/commands/set-user.ts";
import { apiKeysOfUsers, isAttached } from "../../aws/api-keys.ts";
import { customerPlans } from "../../aws/customer-plans.ts";
import { coverageOf } from "../../aws/plan-stages.ts";
import { planTag } from "../../aws/usage-plans.ts";
import { type ActiveKey, readUserKeyRecord } from "../../aws/user-key-records.ts";
import { type Plan, requestsPerMinute, sameThrottle, throttleOf } from "../../domain/plan.ts";
import { byHand, type CheckGroup, eventually, expectSame, expectThat, Skip } from "../check.ts";
import type { Run } from "../run.ts";

/** mirrorPlans waits its turn behind other users: API Gateway takes 5 new keys a second. */
const mirroringMs = 120_000;

/** Of an Enterprise customer. More than a plan may take at once. */
const customersRequestsPerMinute = 6000;

const callsWithNewKey = 10;

/** Usage plans and API keys. */
export const planChecks: CheckGroup<Run> = {
  title: "Usage plans",
  checks: [
    {
      says: "Usage plans take a fractional rate, and a burst of 5000",
      async run({ service: { plans } }) {
        for (const name of ["Standard", "Pro"] as const) {
          const command = new GetUsagePlanCommand({ usagePlanId: plans.tierPlans[name] });
          const { throttle = {} } = await plans.plans.client.send(command);
          const wanted = throttleOf({ requestsPerMinute: requestsPerMinute[name] });
          if (!sameThrottle(throttle, wanted)) expectSame(`The throttle of plan ${name}`, throttle, wanted);
        }
      },
    },
    {
      says: "mirrorPlans makes a key with the user's name and tag, on the plan Standard",
      async run(run) {
        const { plans, tierPlans } = run.service.plans;
        const { name, keyID } = await keyOn("Standard", run);
        for await (const key of apiKeysOfUsers(plans))
          if (key.id === keyID) expectSame("The key", key, { id: keyID, name, tagged: true });
        expectThat(await isAttached(plans, tierPlans.Standard, keyID), "The key is not on its plan");
      },
    },
    {
      says: "API Gateway accepts a new key after keyGraceSeconds",
      slow: true,
      async run(run) {
        const { activeFrom } = await keyOn("Standard", run);
        // An authorizer may remember for two seconds that there was none.
        const waitMs = Math.max(0, Date.parse(activeFrom) - Date.now()) + 3000;
        await pause(waitMs, undefined, { signal: run.signal });
        const statuses = new Set<number>();
        for (let call = 0; call < callsWithNewKey; call++) {
          statuses.add((await run.http.send("GET", "/listWallets", await run.user())).status);
          await pause(1000, undefined, { signal: run.signal });
        }
        expectSame("With the new key, the statuses", [...statuses], [200]);
      },
    },
    {
      says: "mirrorPlans may create a plan that covers both stages, with a tag, for an Enterprise customer",
      async run(run) {
        const { table, plans } = run.service;
        const { userID } = await run.user();
        const wanted = { tier: "Enterprise", requestsPerMinute: customersRequestsPerMinute } as const;
        await changeUser(table, userID, wanted, new Date());
        const { planID } = await keyOn("Enterprise", run);
        for await (const { id, throttle, stages, tagged } of customerPlans(plans.plans)) {
          if (id !== planID) continue;
          expectSame("Whether the plan has its tag", tagged, true);
          expectSame("The stages of the plan", coverageOf(stages), coverageOf(plans.plans.stages));
          if (!sameThrottle(throttle, throttleOf(wanted)))
            expectSame("The throttle of the plan", throttle, throttleOf(wanted));
          return;
        }
        expectThat(false, "The plan on record does not exist");
      },
    },
    {
      says: "A function cannot delete a key without the tag",
      async run({ service: { deployed, plans } }) {
        if (deployed === undefined) throw new Skip("the local runner has no IAM");
        const call = {
          action: "apigateway:DELETE",
          resource: `arn:aws:apigateway:${deployed.region}::/apikeys/x`,
        };
        const tags = { [planTag]: plans.plans.prefix };
        const may = {
          with: await deployed.mayCall("deleteRetiredKeys", { ...call, tags }),
          without: await deployed.mayCall("deleteRetiredKeys", { ...call, tags: {} }),
        };
        expectSame("Whether IAM allows it with and without the tag", may, { with: true, without: false });
      },
    },
    byHand("A 403 for an API key reaches the alarm KeysRefused"),
  ],
};

/** Waits until the user has a key on a plan of that name. */
async function keyOn(plan: Plan["name"], run: Run): Promise<ActiveKey> {
  const { userID } = await run.user();
  const message = `The user has no key on a plan ${plan}`;
  return eventually(message, run.patience(mirroringMs), async () => {
    const { current } = (await readUserKeyRecord(run.service.table, userID)) ?? {};
    return current?.plan.name === plan ? current : undefined;
  });
}
