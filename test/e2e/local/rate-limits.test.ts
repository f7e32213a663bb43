import { setTimeout as pause } from "node:timers/promises";
import { APIGatewayClient, GetUsagePlanKeysCommand, GetUsagePlansCommand } from "@aws-sdk/client-api-gateway";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { newEvmKey } from "../../support/keys.ts";
import { admin } from "../support/admin.ts";
import { get, post } from "../support/client.ts";
import { deployment } from "../support/deployment.ts";
import { importAll } from "../support/terminal.ts";
import { knownUser, type User } from "../support/users.ts";

/** Requests per minute of a small plan, which behaves like larger ones with fewer requests. */
const burst = 120;
const perSecond = burst / 60;

const inHeader = ({ token }: User) => ({ Authorization: `Bearer ${token}` });
const inCookie = ({ token }: User) => ({ Cookie: `access_token=${token}` });

/** Sends a cheap request that counts like any other. The response is a 415, or a 429 over the limit. */
const ask = (headers: Record<string, string>) =>
  post("/updateTradingSettings/eth", { headers, body: undefined });

describe("a user who exceeds the plan", () => {
  let user: User;
  let other: User;
  let pro: User;
  /** Number of requests admitted before the first 429, and the seconds they took. */
  let admitted = 0;
  let seconds = 0;
  const statusesOfPro = new Set<number>();

  beforeAll(async () => {
    [user, other, pro] = await Promise.all([knownUser(), knownUser(), knownUser()]);
    await admin("set-user", user.id, "--tier", "Enterprise", "--requests-per-minute", `${burst}`);
    await admin("set-user", pro.id, "--tier", "Pro");
    // Users of the tier Base get a key when they first use the service.
    await importAll(other, [newEvmKey()]);
    await Promise.all([hasKeyOn("their own", user), hasKeyOn("Standard", other), hasKeyOn("Pro", pro)]);

    const begun = performance.now();
    let sent = 0;
    let full = false;
    const client = async () => {
      while (!full) {
        sent += 1;
        // Tokens in the header and in the cookie share one bucket.
        const answer = await ask(sent % 2 === 0 ? inHeader(user) : inCookie(user));
        if (answer.status === 429) full = true;
        else admitted += 1;
        if (sent % 20 === 0) statusesOfPro.add((await ask(inHeader(pro))).status);
      }
    };
    await Promise.all(Array.from({ length: 16 }, client));
    seconds = (performance.now() - begun) / 1000;
  });

  it("allows a minute's requests at once, plus a second's share for each second that passes", () => {
    expect(admitted).toBeGreaterThanOrEqual(burst);
    expect(admitted).toBeLessThanOrEqual(burst + Math.ceil(seconds * perSecond));
  });

  it("does not slow down users of another plan", async () => {
    expect([...statusesOfPro]).toEqual([415]);
    expect(await ask(inHeader(pro))).toMatchObject({ status: 415 });
    expect(await get("/listWallets", other)).toMatchObject({ status: 200 });
  });

  it("sends a Retry-After to a token in the header or the cookie, and serves the user after that time", async () => {
    for (const headers of [inHeader(user), inCookie(user)]) {
      const refused = await untilRefused(headers);
      expect(refused.json).toEqual({ error: "Too many requests" });
      expect(refused.headers.get("Retry-After")).toMatch(/^[1-9]\d*$/);

      await pause(Number(refused.headers.get("Retry-After")) * 1000);

      expect(await get("/listWallets", { headers })).toMatchObject({ status: 200 });
    }
  });
});

/** Sends requests until the nearly empty bucket is empty. */
async function untilRefused(headers: Record<string, string>) {
  for (;;) {
    const answers = await Promise.all(Array.from({ length: 16 }, () => ask(headers)));
    const refused = answers.find(({ status }) => status === 429);
    if (refused !== undefined) return refused;
  }
}

type Description = {
  outputs: Record<"StandardPlanId" | "ProPlanId", string>;
  endpoints: { apigateway: string };
  region: string;
  credentials: { accessKeyId: string; secretAccessKey: string };
};

/**
 * Waits until a known user has an API key on this plan and the authorizers use it. An Enterprise user has a separate
 * plan.
 */
async function hasKeyOn(plan: "Standard" | "Pro" | "their own", { id }: User): Promise<void> {
  const response = await fetch(`${deployment().baseUrl}/_local/outputs`);
  const { outputs, endpoints, region, credentials } = (await response.json()) as Description;
  const client = new APIGatewayClient({ endpoint: endpoints.apigateway, region, credentials });
  const name = `TerminalApi/user/${id}/`;
  const planId = async () => {
    if (plan !== "their own") return outputs[`${plan}PlanId`];
    const { items = [] } = await client.send(new GetUsagePlansCommand({ limit: 500 }));
    return items.find((each) => each.name?.startsWith(name))?.id;
  };
  const isThere = async () => {
    const query = { usagePlanId: (await planId()) ?? "none yet", nameQuery: name, limit: 500 };
    expect((await client.send(new GetUsagePlanKeysCommand(query))).items).toHaveLength(1);
  };
  await vi.waitFor(isThere, { timeout: 30_000, interval: 200 });
  // Authorizers cache a missing key for two seconds.
  await pause(2_500);
}
