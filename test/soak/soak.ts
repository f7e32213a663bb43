import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { forEachConcurrently } from "../../lib/core/concurrency.ts";
import { type ActionName, actions, weights } from "./actions.ts";
import { audit } from "./audit.ts";
import { type Chance, createChance } from "./chance.ts";
import { followWithClient } from "./client-follower.ts";
import { type FollowerCounts, follow } from "./follower.ts";
import { ownerOfSlippage } from "./model.ts";
import { makePeople, type Person, strangersIn } from "./people.ts";
import { type PhaseName, phases, planPhases } from "./phases.ts";
import { createService, type Service, type Target } from "./service.ts";

export type SoakOptions = {
  /** Number of requests and stream messages. */
  requests: number;
  users: number;
  /** Determines the requests and the times of faults. Wallet keys and timing stay random. */
  seed: number;
  /** Number of concurrent requests. */
  atOnce?: number;
  /** Milliseconds after the faults in which streams must reach the true state. */
  patienceMs?: number;
  onProgress?: (done: number, phase: string) => void;
};

/** Counts of responses by status, where 0 means no response. */
export type Statuses = Map<number, number>;

export type SoakReport = SoakOptions & {
  /** Duration of all requests including restarts. */
  seconds: number;
  byAction: Map<ActionName, Statuses>;
  byPhase: Map<PhaseName, Statuses>;
  crashes: number;
  /** Seconds from the last request until the last stream showed the true state. */
  settledAfterSeconds: number;
  streams: FollowerCounts & { count: number };
  /** Number of audited items. */
  items: number;
  /** Broken promises of the service. Empty for a passing run. */
  problems: string[];
};

/** Maximum number of streams. Each keeps one connection open, like a client. */
const maxStreams = 60;

/** Pause after an unknown outcome, because a write still in progress could happen after the next one. */
const restMs = 1000;

/** Milliseconds within which streams must reconnect after the last fault. */
const reconnectMs = 15_000;

/** Runs mixed requests of many users against a runner with faults, then audits all stored data. */
export async function soak(target: Target, options: SoakOptions): Promise<SoakReport> {
  const { requests, users, seed, atOnce = 16, patienceMs = 75_000 } = options;
  const service = createService(target);
  const problems = new Set<string>();
  const report = (problem: string) => void problems.add(problem);

  const people = await makePeople(service, users, randomBytes(4).toString("hex"));
  const followers = people.slice(0, Math.min(Math.ceil(0.8 * users), maxStreams)).map((person) => {
    // Half of the users use the published client, the others a test client.
    const connect = person.index % 2 === 0 ? follow : followWithClient;
    person.follower = connect(service, person, (text, settings) => {
      for (const stranger of strangersIn(text, person))
        report(`${person.id} was sent ${stranger} on a stream`);
      const owner = ownerOfSlippage(settings?.slippage) ?? person.index;
      if (owner !== person.index) report(`${person.id} was sent settings of user ${owner} on a stream`);
    });
    return person.follower;
  });
  try {
    const startedAt = Date.now();
    const load = await runLoad({
      service,
      people,
      requests,
      atOnce,
      seed,
      report,
      onProgress: options.onProgress,
    });
    const endedAt = Date.now();
    await service.setFaults(phases.calm);
    await changeAtLast({ service, people, atOnce, seed, report });
    const { items, problems: found } = await audit(service, people, { endedAt, patienceMs });
    for (const problem of found) report(problem);
    const sum = (name: keyof FollowerCounts) =>
      followers.reduce((total, { counts }) => total + counts[name], 0);
    return {
      ...options,
      ...load,
      seconds: (endedAt - startedAt) / 1000,
      settledAfterSeconds: (Date.now() - endedAt) / 1000,
      streams: {
        count: followers.length,
        connections: sum("connections"),
        refusals: sum("refusals"),
        closes: sum("closes"),
        messages: sum("messages"),
      },
      items,
      problems: [...problems],
    };
  } finally {
    for (const follower of followers) follower.stop();
  }
}

type Run = {
  service: Service;
  people: readonly Person[];
  atOnce: number;
  seed: number;
  report: (problem: string) => void;
};

type Load = Run & { requests: number; onProgress: SoakOptions["onProgress"] | undefined };

async function runLoad({ service, people, requests, atOnce, seed, report, onProgress }: Load) {
  const changes = planPhases(requests, createChance(`phase ${seed}`));
  const byAction: SoakReport["byAction"] = new Map();
  const byPhase: SoakReport["byPhase"] = new Map();
  let phase: PhaseName = "calm";
  let crashes = 0;
  let taken = 0;
  let changing: Promise<void> = Promise.resolve();

  const change = async (next: PhaseName | "crash") => {
    if (next === "crash") {
      crashes++;
      await service.restart();
    } else {
      await service.setFaults(phases[next]);
      phase = next;
    }
  };

  // Each user belongs to one worker, so that the user's requests are sequential.
  const worker = async (own: readonly Person[], chance: Chance) => {
    while (taken < requests) {
      taken++;
      const due = changes[0];
      if (due !== undefined && due.after <= taken) {
        changes.shift();
        changing = changing.then(() => change(due.phase));
      }
      await changing;
      const person = await someoneOf(own, chance);
      const name = chance.weighted(weights);
      const current = phase;
      const statuses = await actions[name]({ service, chance, report }, person);
      for (const status of statuses) {
        count(byAction, name, status);
        count(byPhase, current, status);
      }
      if (statuses.some((status) => status === 0 || status >= 500)) person.restsUntil = Date.now() + restMs;
      onProgress?.(taken, phase);
    }
  };
  await Promise.all(
    Array.from({ length: Math.min(atOnce, people.length) }, (_, index) =>
      worker(
        people.filter((person) => person.index % atOnce === index),
        createChance(`worker ${index} ${seed}`),
      ),
    ),
  );
  return { byAction, byPhase, crashes };
}

/** Changes the data of every user with a stream, so that each stream must show a last update. */
async function changeAtLast({ service, people, atOnce, seed, report }: Run): Promise<void> {
  const followed = people.filter(({ follower }) => follower !== undefined);
  const deadline = Date.now() + reconnectMs;
  await pause(restMs);
  while (followed.some(({ follower }) => !follower?.isReady()) && Date.now() < deadline) await pause(100);
  await forEachConcurrently(followed, { concurrency: atOnce }, async (person) => {
    const world = { service, report, chance: createChance(`last ${person.index} ${seed}`) };
    await actions.changeSettings(world, person);
    await actions.recordExecutions(world, person);
  });
}

async function someoneOf(people: readonly Person[], chance: Chance): Promise<Person> {
  for (;;) {
    const awake = people.filter(({ restsUntil }) => restsUntil <= Date.now());
    if (awake.length > 0) return chance.pick(awake);
    await pause(100);
  }
}

function count<Name>(counts: Map<Name, Statuses>, name: Name, status: number): void {
  const statuses = counts.get(name) ?? new Map();
  counts.set(name, statuses.set(status, (statuses.get(status) ?? 0) + 1));
}
