import { randomInt } from "node:crypto";

/**
 * Limits of a token bucket. It holds `burstLimit` requests and fills at `rateLimit` requests a second, which may be a
 * fraction.
 */
export type Throttle = { rateLimit: number; burstLimit: number };

export type ApiStage = { apiId: string; stage: string };

/** Throttles of single methods, by path and method, such as `/pets/{id}/GET`. */
export type MethodThrottles = Readonly<Record<string, Throttle>>;

/** A stage that a plan covers. `throttle` limits single methods for each key of the plan. */
type PlanStage = ApiStage & { throttle?: MethodThrottles | undefined };

/**
 * Origin of a key or plan. Those of the template are read again at each start; those created by a program are stored.
 */
type Origin = { from: "template" | "program" };

export type Tags = Readonly<Record<string, string>>;

export type ApiKey = Origin & {
  id: string;
  /** The secret that a caller sends. It appears in no log line and no error message. */
  value: string;
  name?: string | undefined;
  description?: string | undefined;
  enabled: boolean;
  /** Time in milliseconds since the epoch. */
  createdDate: number;
  tags?: Tags | undefined;
};

export type UsagePlan = Origin & {
  id: string;
  name: string;
  description?: string | undefined;
  apiStages: readonly PlanStage[];
  /** Throttle of each key of the plan, over all stages of the plan together. */
  throttle?: Throttle | undefined;
  tags?: Tags | undefined;
};

/** Membership of a key in a plan. */
export type PlanKey = Origin & { usagePlanId: string; keyId: string };

export type Usage = {
  apiKeys: readonly ApiKey[];
  usagePlans: readonly UsagePlan[];
  planKeys: readonly PlanKey[];
};

export const noUsage: Usage = { apiKeys: [], usagePlans: [], planKeys: [] };

type Planned = Pick<UsagePlan, "id" | "apiStages">;

/** Formats a stage in the notation of usage plans, `<API id>:<stage>`. */
export function stageName({ apiId, stage }: ApiStage): string {
  return `${apiId}:${stage}`;
}

export function covers({ apiStages }: Planned, stage: ApiStage): boolean {
  return apiStages.some((covered) => stageName(covered) === stageName(stage));
}

/** Finds the plans of a key. */
export function plansOf<Plan extends Planned>(
  { usagePlans, planKeys }: { usagePlans: readonly Plan[]; planKeys: readonly PlanKey[] },
  keyId: string,
): Plan[] {
  const ids = new Set(planKeys.filter((entry) => entry.keyId === keyId).map((entry) => entry.usagePlanId));
  return usagePlans.filter(({ id }) => ids.has(id));
}

/**
 * Finds the first stage of the plan that another plan of the key already covers. A key has at most one plan for each
 * stage.
 */
export function stageTaken(
  usage: { usagePlans: readonly Planned[]; planKeys: readonly PlanKey[] },
  keyId: string,
  { id, apiStages }: Planned,
): ApiStage | undefined {
  const others = plansOf(usage, keyId).filter((plan) => plan.id !== id);
  return apiStages.find((stage) => others.some((plan) => covers(plan, stage)));
}

/** The current keys and plans. The control plane changes them, and requests are checked against them. */
export type UsageState = {
  readonly current: Usage;
  /** Saves a change before it applies it. If saving throws, the change has no effect. */
  change(part: Partial<Usage>): void;
  /** Calls the listener after every change. */
  onChange(listener: () => void): void;
};

/** @param save stores a state durably before it returns */
export function createUsageState(initial: Usage, save: (usage: Usage) => void = () => {}): UsageState {
  let current = initial;
  const listeners: (() => void)[] = [];
  return {
    get current() {
      return current;
    },
    change(part) {
      const next = { ...current, ...part };
      save(next);
      current = next;
      for (const listener of listeners) listener();
    },
    onChange: (listener) => void listeners.push(listener),
  };
}

const lowerCase = "0123456789abcdefghijklmnopqrstuvwxyz";
const letters = `${lowerCase}${lowerCase.slice(10).toUpperCase()}`;

/** Generates a key's value in API Gateway's format: 40 letters and digits. */
export function newKeyValue(): string {
  return random(letters, 40);
}

export function newKeyId(): string {
  return random(lowerCase, 10);
}

export function newPlanId(): string {
  return random(lowerCase, 6);
}

function random(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join("");
}
