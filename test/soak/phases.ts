import type { Chance } from "./chance.ts";

/** Fraction of calls hit by each fault, in the format of the runner's `/_local/faults`. */
export type Rates = Readonly<Record<string, number>>;

/** Faults of a run, each lasting for some requests. Services can survive them, so many requests still succeed. */
export const phases = {
  calm: {},
  "table throttled": { "dynamodb.throttled": 0.3 },
  "table conflicting": { "dynamodb.conflicting": 0.3 },
  "table failing": { "dynamodb.failed": 0.2 },
  "KMS down": { "kms.failed": 1 },
  "functions killed": { "lambda.killed": 0.03 },
  "pushes refused": { "connections.throttled": 0.3, "connections.failed": 0.1 },
  "clients stuck": { "connections.stuck": 0.3 },
  "API keys throttled": { "apigateway.throttled": 0.5 },
  "everything at once": {
    "dynamodb.throttled": 0.1,
    "dynamodb.conflicting": 0.1,
    "dynamodb.failed": 0.05,
    "kms.throttled": 0.3,
    "lambda.killed": 0.02,
    "lambda.throttled": 0.1,
    "connections.throttled": 0.1,
  },
} as const satisfies Record<string, Rates>;

export type PhaseName = keyof typeof phases;

/** A phase that starts after a number of requests. */
export type Change<Phase extends string = PhaseName> = { after: number; phase: Phase | "calm" | "crash" };

/** Requests during each fault, unless the run is too short. Large, because each crash takes seconds. */
const usualStretch = 1000;

/**
 * Plans a run's faults: all of them in turn, in a new random order each time, with calm between rounds. In each round,
 * the runner crashes once, in a random phase.
 */
export function planPhases<Phase extends string = PhaseName>(
  requests: number,
  chance: Chance,
  names = Object.keys(phases) as Phase[],
  stretch = usualStretch,
): Change<Phase>[] {
  const faults = names.filter((name) => name !== "calm");
  const round = (): Change<Phase>["phase"][] => {
    const order: Change<Phase>["phase"][] = chance.shuffled(faults);
    return [...order.toSpliced(1 + chance.below(faults.length), 0, "crash"), "calm"];
  };
  // Leaves time for a calm start and one whole round.
  const length = Math.max(1, Math.min(stretch, Math.floor(requests / (faults.length + 3))));
  const changes: Change<Phase>[] = [];
  let coming: Change<Phase>["phase"][] = [];
  for (let after = length; after + length <= requests; after += length) {
    if (coming.length === 0) coming = round();
    changes.push({ after, phase: coming.shift() as Change<Phase>["phase"] });
  }
  return changes;
}
