import { describe, expect, it } from "vitest";
import { type MirrorDeps, mirrorUser } from "../../lib/plans/mirror.ts";
import { deleteRetiredKeys } from "../../lib/plans/sweep.ts";
import { type Fault, withFault } from "./support/faults.ts";
import type { Call } from "./support/observed.ts";
import { expectSettled, madeFor } from "./support/settled.ts";
import { base, enterprise, inTime, later, minutes, pro, type User, worldForTests } from "./support/world.ts";

const world = worldForTests();

const rethrow = (error: unknown) => {
  throw error;
};

/** The user before, during an interrupted run, and during the next run. */
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
  // In the following paths, the next run has a different aim from the first one.
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

/** Changes a user along a path, with one failing call in the interrupted run. Returns the calls of that run. */
async function walk(
  userID: string,
  [was, becomes, is]: (typeof paths)[number],
  deps: MirrorDeps,
  fault: [number, Fault],
): Promise<Call[]> {
  await world.put(userID, was);
  await mirrorUser(deps, userID);
  await world.put(userID, becomes);
  const calls = await withFault(deps, fault, (faulty) => mirrorUser(faulty, userID));
  await world.put(userID, is);
  await mirrorUser(deps, userID);
  await expectSettled(world, userID, is);
  return calls;
}

/** Expects that a sweep leaves only the keys and plans in use. */
async function expectSwept(users: readonly string[], user: User): Promise<void> {
  await deleteRetiredKeys(world.deps(), inTime(later(minutes(10) + 1)), rethrow);
  for (const userID of users) {
    await expectSettled(world, userID, user);
    const { keys, plans } = madeFor(world, userID);
    expect(keys).toHaveLength(user === "nobody" ? 0 : 1);
    expect(plans).toHaveLength(user !== "nobody" && user.tier === "Enterprise" ? 1 : 0);
  }
}

const called = (user: User) => (user === "nobody" ? user : Object.values(user).join(" "));
const named = paths.map((path, index) => [path.map(called).join(" -> "), path, index] as const);

/** Picks a quarter of the faults. `FULL=1` tries all of them, which takes a minute. */
const someOf = <Fault>(faults: readonly Fault[], path: number) =>
  process.env.FULL ? faults : faults.filter((_, index) => (index + path) % 4 === 0);

const noFault = [Number.POSITIVE_INFINITY, "not arrived"] satisfies [number, Fault];
const numbersOf = (calls: Call[], kinds: Call[]) =>
  [...calls.entries()].flatMap(([index, kind]) => (kinds.includes(kind) ? [index + 1] : []));

describe("mirrorUser", () => {
  it.each(named)("completes a run that was interrupted at any call: %s", async (name, path, index) => {
    const deps = () => world.deps({ plans: world.openPlans({ maxAttempts: 1 }) });
    const calls = await walk(name, path, deps(), noFault);
    // Both faults have the same effect on a read.
    const all: [number, Fault][] = [
      ...numbersOf(calls, ["read", "write"]).map((number): [number, Fault] => [number, "not arrived"]),
      ...numbersOf(calls, ["write"]).map((number): [number, Fault] => [number, "answer lost"]),
    ];
    expect(all.length).toBeGreaterThan(3);
    const faults = someOf(all, index);
    const userOf = ([number, fault]: [number, Fault]) => `${name}/${fault}/${number}`;
    await Promise.all(faults.map((fault) => walk(userOf(fault), path, deps(), fault)));
    await expectSwept([name, ...faults.map(userOf)], path[2]);
  });
});

describe("an SDK retry", () => {
  it.each(named.slice(0, 9))(
    "survives the repetition of any call that has already taken effect: %s",
    async (name, path, index) => {
      const first = `${name}/repeated`;
      const calls = await walk(first, path, world.deps(), noFault);
      const numbers = someOf(numbersOf(calls, ["write"]), index);
      const userOf = (number: number) => `${first}/${number}`;
      await Promise.all(
        numbers.map((number) => walk(userOf(number), path, world.deps(), [number, "answer lost"])),
      );
      await expectSwept(numbers.map(userOf), path[2]);
    },
  );
});
