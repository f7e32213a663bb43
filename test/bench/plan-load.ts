import { setTimeout as pause } from "node:timers/promises";
import type { Plan } from "../../lib/plans/plan.ts";
import { readUserKeyRecord } from "../../lib/plans/user-key-records.ts";
import { changeUser } from "../../lib/tools/admin/commands/set-user.ts";
import { recordVisit } from "../../lib/users/profile-records.ts";
import type { Service } from "./service.ts";
import { now } from "./statistics.ts";

/** A user's admitted requests compared with the plan. */
export type Admission = {
  /** Requests admitted before the first 429. */
  atOnce: number;
  admitted: number;
  refused: number;
  /** Tokens that the bucket held at the start or gained until the end. */
  promised: number;
};

/** Concurrent clients of one user, because a single client may be too slow to exceed the plan. */
const clientsPerUser = 4;

/** Milliseconds to wait, longer than an authorizer caches that a user has no key. */
const untilKnownMs = 2500;

/** Users of one plan who all send requests for this many seconds. */
export type PlanLoad = { plan: Plan; users: number; seconds: number };

/** Makes users exceed their plans and counts their admitted requests. */
export async function loadPlan(service: Service, { plan, users, seconds }: PlanLoad): Promise<Admission[]> {
  const { requestsPerMinute } = plan;
  const names = Array.from({ length: users }, (_, index) => `${plan.name}-${index}`);
  const headers = await Promise.all(names.map(async (name) => bearer(await service.token(name))));
  // Creates the user's profile with a first request, then sets a customer's plan. A user gets an own API key only from
  // the second visit.
  for (const [index, name] of names.entries()) {
    await ask(service, headers[index]);
    await recordVisit(service.table, name, new Date());
    if (plan.name === "Enterprise")
      await changeUser(service.table, name, { tier: plan.name, requestsPerMinute }, new Date());
  }
  for (const name of names)
    while ((await readUserKeyRecord(service.table, name))?.current?.plan.name !== plan.name) await pause(100);
  await pause(untilKnownMs);

  return Promise.all(
    headers.map(async (header): Promise<Admission> => {
      let [admitted, refused, atOnce] = [0, 0, 0];
      const begun = now();
      const client = async () => {
        while (now() - begun < seconds * 1000) {
          if ((await ask(service, header)) === 429) {
            refused++;
            // Sends often enough with all clients together to use each token as soon as it is added.
            await pause(60_000 / requestsPerMinute);
          } else {
            admitted++;
            if (refused === 0) atOnce = admitted;
          }
        }
      };
      await Promise.all(Array.from({ length: clientsPerUser }, client));
      const promised = requestsPerMinute * (1 + (now() - begun) / 60_000);
      return { atOnce, admitted, refused, promised };
    }),
  );
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

async function ask({ baseUrl }: Service, headers: Record<string, string> = {}): Promise<number> {
  const answer = await fetch(`${baseUrl}/api/waitlist/v2/rewards`, { headers });
  await answer.arrayBuffer();
  if (answer.status !== 200 && answer.status !== 429) throw new Error(`A request answered ${answer.status}`);
  return answer.status;
}
