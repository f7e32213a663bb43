import { describe, expect, it } from "vitest";
import { type Mirror, mirrorUser } from "../../lib/plans/mirror.ts";
import { deleteRetiredKeys } from "../../lib/plans/sweep.ts";
import { type Fault, withFault } from "./support/faults.ts";
import type { Call } from "./support/observed.ts";
import { expectSettled, madeFor } from "./support/settled.ts";
import { base, enterprise, later, minutes, pro, type User, worldForTests } from "./support/world.ts";

const world = worldForTests();

const rethrow = (error: unknown) => {
  throw error;
};

/** What a user is, what they become in a run that is cut short, and what they are when the next run comes. */
const paths: [was: User, becomes: User, is: User][] = [
  ["nobody", base, base],
  ["nobody", enterprise(6000), enterprise(6000)],
  [base, pro, pro],
  [pro, base, base],
  [base, enterprise(6000), enterprise(6000)],
  [enterprise(6000), pro, pro],
  [enterprise(6000), enterprise(12_000), enterprise(12_000)],
  [base, "nobody", "nobody"],
  [enterprise(6000), "nobody", "nobody"],
  // The run that was cut short was on its way to something that is no longer wanted.
  ["nobody", base, pro],
  ["nobody", enterprise(6000), base],
  ["nobody", enterprise(6000), enterprise(12_000)],
  ["nobody", enterprise(6000), "nobody"],
  [base, pro, base],
  [base, enterprise(6000), base],
  [enterprise(6000), base, enterprise(6000)],
  [enterprise(6000), base, enterprise(12_000)],
  [enterprise(6000), pro, "nobody"],
];

/** Takes a new user along a path, with one call of the run in the middle failing. @returns the calls of that run. */
async function walk(
  userID: string,
  [was, becomes, is]: (typeof paths)[number],
  mirror: Mirror,
  fault: [number, Fault],
): Promise<Call[]> {
  await world.put(userID, was);
  await mirrorUser(mirror, userID);
  await world.put(userID, becomes);
  const calls = await withFault(mirror, fault, (world) => mirrorUser(world, userID));
  await world.put(userID, is);
  await mirrorUser(mirror, userID);
  await expectSettled(world, userID, is);
  return calls;
}

/** Expects that nothing is left of anybody but what is in use. */
async function expectSwept(users: readonly string[], user: User): Promise<void> {
  await deleteRetiredKeys(world.mirror(), later(minutes(10) + 1), rethrow);
  for (const userID of users) {
    await expectSettled(world, userID, user);
    const { keys, plans } = madeFor(world, userID);
    expect(keys).toHaveLength(user === "nobody" ? 0 : 1);
    expect(plans).toHaveLength(user !== "nobody" && user.tier === "Enterprise" ? 1 : 0);
  }
}

const called = (user: User) => (user === "nobody" ? user : Object.values(user).join(" "));
const named = paths.map((path) => [path.map(called).join(" -> "), path] as const);

const noFault = [Number.POSITIVE_INFINITY, "not arrived"] satisfies [number, Fault];
const numbersOf = (calls: Call[], kinds: Call[]) =>
  [...calls.entries()].flatMap(([index, kind]) => (kinds.includes(kind) ? [index + 1] : []));

describe("a run that ends anywhere is completed by the next", () => {
  it.each(named)("%s", async (name, path) => {
    const mirror = world.mirror({ plans: world.openPlans({ maxAttempts: 1 }) });
    const calls = await walk(name, path, mirror, noFault);
    const users = [name];
    // Of a read it is the same whether it arrived.
    for (const [fault, ...kinds] of [
      ["not arrived", "read", "write"],
      ["answer lost", "write"],
    ] as const)
      for (const number of numbersOf(calls, kinds)) {
        const userID = `${name}/${fault}/${number}`;
        users.push(userID);
        await walk(userID, path, mirror, [number, fault]);
      }
    expect(users.length).toBeGreaterThan(4);
    await expectSwept(users, path[2]);
  });
});

describe("what the SDK itself repeats, and was done already", () => {
  it.each(named.slice(0, 9))("%s", async (name, path) => {
    const mirror = world.mirror();
    const calls = await walk(`${name}/repeated`, path, mirror, noFault);
    const users = numbersOf(calls, ["write"]).map((number) => `${name}/repeated/${number}`);
    for (const userID of users)
      await walk(userID, path, mirror, [Number(userID.split("/").at(-1)), "answer lost"]);
    await expectSwept(users, path[2]);
  });
});
