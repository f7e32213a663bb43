import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { admin } from "../support/admin.ts";
import { get, post } from "../support/client.ts";
import { hasKeyOn } from "../support/plans.ts";
import { profileOf } from "../support/terminal.ts";
import { newUser, type User } from "../support/users.ts";

/** Of the plan of the tier Base. */
const burst = 1000;
const perSecond = burst / 60;

const inHeader = ({ token }: User) => ({ Authorization: `Bearer ${token}` });
const inCookie = ({ token }: User) => ({ Cookie: `access_token=${token}` });

/** A request that counts like any other and is quickly answered: with 415, unless there were too many. */
const ask = (headers: Record<string, string>) => post("/storeWallet_v2", { headers, body: undefined });

async function knownUser(): Promise<User> {
  const user = await newUser();
  await profileOf(user);
  return user;
}

describe("A user who asks for more than the plan has", () => {
  let user: User;
  let other: User;
  let pro: User;
  /** How many requests were answered before the first 429, and for how many seconds they were sent. */
  let admitted = 0;
  let seconds = 0;
  const statusesOfPro = new Set<number>();

  beforeAll(async () => {
    [user, other, pro] = await Promise.all([knownUser(), knownUser(), knownUser()]);
    await admin("set-user", pro.id, "--tier", "Pro");
    await Promise.all([hasKeyOn("Standard", user), hasKeyOn("Standard", other), hasKeyOn("Pro", pro)]);

    const begun = performance.now();
    let sent = 0;
    let full = false;
    const client = async () => {
      while (!full) {
        sent += 1;
        // The same bucket, wherever the token is.
        const answer = await ask(sent % 2 === 0 ? inHeader(user) : inCookie(user));
        if (answer.status === 429) full = true;
        else admitted += 1;
        if (sent % 20 === 0) statusesOfPro.add((await ask(inHeader(pro))).status);
      }
    };
    await Promise.all(Array.from({ length: 16 }, client));
    seconds = (performance.now() - begun) / 1000;
  });

  test("gets a minute's requests at once, what the seconds add, and no more", () => {
    expect(admitted).toBeGreaterThanOrEqual(burst);
    expect(admitted).toBeLessThanOrEqual(burst + Math.ceil(seconds * perSecond));
  });

  test("slows nobody else down, on the same plan or on a greater one", async () => {
    expect([...statusesOfPro]).toEqual([415]);
    expect(await ask(inHeader(pro))).toMatchObject({ status: 415 });
    expect(await get("/listWallets", other)).toMatchObject({ status: 200 });
  });

  test("is told how long to wait, with the token in the header and in the cookie, and then let in", async () => {
    for (const headers of [inHeader(user), inCookie(user)]) {
      const refused = await untilRefused(headers);
      expect(refused.json).toEqual({ error: "Too many requests" });
      expect(refused.headers.get("Retry-After")).toMatch(/^[1-9]\d*$/);

      await pause(Number(refused.headers.get("Retry-After")) * 1000);

      expect(await get("/listWallets", { headers })).toMatchObject({ status: 200 });
    }
  });
});

/** Asks in parallel until the bucket, of which little is left, is empty. */
async function untilRefused(headers: Record<string, string>) {
  for (;;) {
    const answers = await Promise.all(Array.from({ length: 16 }, () => ask(headers)));
    const refused = answers.find(({ status }) => status === 429);
    if (refused !== undefined) return refused;
  }
}
