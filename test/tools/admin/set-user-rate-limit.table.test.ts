import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import type { Profile } from "../../../lib/users/profile.ts";
import { changeProfile, readProfile } from "../../../lib/users/profile-records.ts";
import { register } from "../../../lib/users/register.ts";
import { interceptedTable } from "../../support/intercepted-table.ts";
import { now, run } from "./support/admin.ts";
import { targetForTests } from "./support/custody.ts";

const target = targetForTests();

/** Registers a user with the given profile values. */
async function user(userID: string, values: Partial<Profile> = {}): Promise<Profile> {
  const profile = await register(target.table, { userID, names: [userID], ref: undefined }, now);
  await changeProfile(target.table, profile, { points: 7, ...values });
  return profile;
}

async function planOf(userID: string) {
  const { tier, requestsPerMinute, points } = (await readProfile(target.table, userID)) ?? {};
  return { tier, requestsPerMinute, points };
}

const setUser = (userID: string, ...args: string[]) => run(target, ["set-user", userID, ...args]);
const enterprise = { tier: "Enterprise", requestsPerMinute: 20_000 } as const;

describe("set-user --requests-per-minute", () => {
  it.each<[string, Partial<Profile>, string[], string, Partial<Profile>]>([
    [
      "is set with the tier",
      {},
      ["--tier", "Enterprise", "--requests-per-minute", "20000"],
      "tier: Base -> Enterprise\nrequestsPerMinute: none -> 20000\n",
      enterprise,
    ],
    [
      "changes the rate limit of a customer",
      enterprise,
      ["--requests-per-minute", "600000"],
      "requestsPerMinute: 20000 -> 600000\n",
      { ...enterprise, requestsPerMinute: 600_000 },
    ],
    [
      "sets the rate limit of a customer that never had one",
      { tier: "Enterprise" },
      ["--requests-per-minute", "1"],
      "requestsPerMinute: none -> 1\n",
      { tier: "Enterprise", requestsPerMinute: 1 },
    ],
    [
      "is optional when the customer already has the tier and a rate limit",
      enterprise,
      ["--tier", "Enterprise", "--points", "8"],
      "points: 7 -> 8\n",
      { ...enterprise, points: 8 },
    ],
    [
      "is removed with the tier",
      enterprise,
      ["--tier", "Pro"],
      "tier: Enterprise -> Pro\nrequestsPerMinute: 20000 -> none\n",
      { tier: "Pro" },
    ],
    [
      "is optional for a change of other values",
      { tier: "Enterprise" },
      ["--points", "8"],
      "points: 7 -> 8\n",
      { tier: "Enterprise", points: 8 },
    ],
  ])("%s", async (userID, had, args, out, has) => {
    await user(userID, had);
    expect(await setUser(userID, ...args)).toEqual({ code: 0, out, err: "" });
    expect(await planOf(userID)).toEqual({ requestsPerMinute: undefined, points: 7, ...has });
  });

  it.each<[string, Partial<Profile>, string[], string]>([
    ["Enterprise without a rate limit", {}, ["--tier", "Enterprise"], "give --requests-per-minute, such as"],
    [
      "Enterprise without a rate limit, for a customer that never had one",
      { tier: "Enterprise" },
      ["--tier", "Enterprise", "--points", "9"],
      "give --requests-per-minute, such as",
    ],
    [
      "a rate limit for another tier",
      {},
      ["--requests-per-minute", "9"],
      "is for the Enterprise tier; the limit of Base is fixed",
    ],
    [
      "a rate limit for another new tier",
      enterprise,
      ["--tier", "Pro", "--requests-per-minute", "9"],
      "is for the Enterprise tier; the limit of Pro is fixed",
    ],
  ])("rejects %s and changes nothing", async (userID, had, args, message) => {
    await user(userID, had);
    const before = await readProfile(target.table, userID);
    const { code, out, err } = await setUser(userID, ...args);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain(message);
    expect(await readProfile(target.table, userID)).toEqual(before);
  });

  it("leaves the rate limit alone when the tier changes at the same time", async () => {
    const had = { tier: "Enterprise" } as const;
    const read = { ...(await user("racer", had)), ...had };
    let left = 1;
    const table = interceptedTable(target.table, async (command) => {
      if (command instanceof UpdateCommand && left-- > 0)
        await changeProfile(target.table, read, { tier: "Base" });
    });
    const args = ["set-user", "racer", "--requests-per-minute", "30000"];
    const { code, err } = await run({ ...target, table }, args);
    expect(code).toBe(1);
    expect(err).toContain("is for the Enterprise tier; the limit of Base is fixed");
    expect(await planOf("racer")).toEqual({ tier: "Base", requestsPerMinute: undefined, points: 7 });
  });
});
