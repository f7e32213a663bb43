import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { forEachConcurrently } from "../../lib/core/concurrency.ts";
import { onlySettings, profileValuesIn, rewardsIn, walletsIn } from "./actions.ts";
import { settingsIn } from "./follower.ts";
import type { Patch } from "./model.ts";
import type { Person } from "./people.ts";
import type { Service } from "./service.ts";
import { executionsIn, problemsOfTable, valuesIn } from "./table-audit.ts";

type Settings = ReadonlyMap<string, Patch>;

export type AuditOptions = {
  /** Time at which the faults ended, in milliseconds since the epoch. */
  endedAt: number;
  /** Milliseconds within which streams must reach the true state. */
  patienceMs: number;
};

/** Compares all acknowledged data with the stored data, the API's responses and the streams. */
export async function audit(
  service: Service,
  people: readonly Person[],
  { endedAt, patienceMs }: AuditOptions,
): Promise<{ items: number; problems: string[] }> {
  const problems: string[] = [];
  const settings = new Map<Person, Settings>();
  await creditAtLast(service);
  await forEachConcurrently(people, { concurrency: 8 }, async (person) => {
    const [found, shown] = await problemsOfAnswers(service, person).catch(
      (error: Error): [string[], Settings] => [[error.message], new Map()],
    );
    settings.set(person, shown);
    problems.push(...found.map((problem) => `${person.id}: ${problem}`));
  });

  const items = await service.scan();
  const expected = people.map(({ id, referrer }) => ({ id, referrerId: referrer?.id }));
  problems.push(...problemsOfTable(items, expected));
  const executions = new Map(people.map((person) => [person, executionsIn(items, person.id)]));
  for (const [{ id, model }, found] of executions) {
    const stored = [...model.problemsOfExecutions(found), ...model.problemsOfProfile(valuesIn(items, id))];
    problems.push(...stored.map((problem) => `${id}: ${problem}`));
  }

  const wrongStreams = () =>
    people.flatMap((person) =>
      problemsOfStream(person, executions.get(person), settings.get(person), endedAt),
    );
  const deadline = Date.now() + patienceMs;
  while (wrongStreams().length > 0 && Date.now() < deadline) await pause(200);
  return { items: items.length, problems: [...problems, ...wrongStreams()] };
}

async function problemsOfAnswers(service: Service, person: Person): Promise<[string[], Settings]> {
  const { model, referrer } = person;
  const read = (path: string) => readAtLast(service, person, path);
  const profile = await read("/getUserData");
  const settings = settingsIn(profile);
  const referrals = (await read("/getUserData?type=ref")) as { referredBy: string | null };
  const referredBy = referrer?.username ?? null;
  const problems = [
    ...settings.flatMap(([chain, values]) => model.problemsOfSettings(chain, values)),
    ...model.problemsOfProfile(profileValuesIn(profile)),
    ...model.problemsOfWallets(walletsIn(await read("/listWallets"))),
    ...model.problemsOfRewards(rewardsIn(await read("/api/waitlist/v2/rewards"))),
    ...(referrals.referredBy === referredBy
      ? []
      : [`referredBy is ${referrals.referredBy} instead of ${referredBy}`]),
  ];
  return [problems, new Map(settings)];
}

/** Number of attempts to make each call after the faults, because the last fault may still have effects. */
const attempts = 5;

async function creditAtLast(service: Service): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await service.runSchedule("creditReferrals");
    } catch (error) {
      if (attempt === attempts) throw error;
      await pause(1000);
    }
  }
}

async function readAtLast(service: Service, person: Person, path: string): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    const answer = await service.send(person, "GET", path);
    if (answer?.status === 200) return answer.json;
    const failure = `After all faults, ${path} has answered ${answer?.status ?? "nothing"} ${answer?.text ?? ""}`;
    if (attempt === attempts) throw new Error(failure);
    await pause(1000);
  }
}

function problemsOfStream(
  { id, follower }: Person,
  executions: ReadonlyMap<string, number> = new Map(),
  settings: Settings = new Map(),
  endedAt: number,
): string[] {
  if (follower === undefined) return [];
  if (!follower.isReady()) return [`the stream of ${id} is not connected, or has no snapshot`];
  const held = follower.executions();
  const late = [...executions].filter(([name, version]) => held.get(name) !== version);
  const untrue = [...held.keys()].filter((name) => !executions.has(name));
  const shown = follower.settings();
  const wrong = [...settings].filter(([chain, values]) => {
    // Ignores other fields, because the profile shows only some of a chain's settings.
    const known = onlySettings(shown.get(chain) ?? {});
    return !isDeepStrictEqual({ ...known, ...values }, known);
  });
  return [
    ...late.map(
      ([name, version]) => `the stream of ${id} has version ${held.get(name)} of ${name}, not ${version}`,
    ),
    ...untrue.map((name) => `the stream of ${id} has ${name}, which is not stored`),
    ...wrong.map(([chain]) => `the stream of ${id} has other settings of ${chain} than are stored`),
    ...(follower.pricesAsOf() > endedAt ? [] : [`the stream of ${id} gets no prices`]),
  ];
}
