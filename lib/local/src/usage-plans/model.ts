import { randomInt } from "node:crypto";

/** Requests a second, fractions too, and the size of the bucket that they are taken from. */
export type Throttle = { rateLimit: number; burstLimit: number };

export const periods = ["DAY", "WEEK", "MONTH"] as const;
export type Period = (typeof periods)[number];

/** Requests in a period; `offset` of them are gone from the start in the period in which the plan was made. */
export type Quota = { limit: number; offset: number; period: Period };

export type ApiStage = {
  apiId: string;
  stage: string;
  /** By method, e.g. `/pets/{id}/GET`. */
  throttle?: Record<string, Throttle> | undefined;
};

/** What comes from the template is made again from it at each start; what a program has made is kept. */
type Made = { from: "template" | "program"; createdDate: number; tags: Record<string, string> };

/** An API key. Times are in milliseconds since the epoch. */
export type ApiKey = Made & {
  id: string;
  /** The secret that a caller shows. No log line and no error message carries it. */
  value: string;
  name?: string | undefined;
  description?: string | undefined;
  customerId?: string | undefined;
  enabled: boolean;
  lastUpdatedDate: number;
  /** As `<API id>/<stage>`. A relic: since there are usage plans it lets nobody in. */
  stageKeys: readonly string[];
};

export type UsagePlan = Made & {
  id: string;
  name: string;
  description?: string | undefined;
  productCode?: string | undefined;
  apiStages: readonly ApiStage[];
  /** Of each key in the plan, over all its stages. */
  throttle?: Throttle | undefined;
  quota?: Quota | undefined;
};

/** That a key is in a plan. */
export type PlanKey = Pick<Made, "from"> & { usagePlanId: string; keyId: string };

export type Usage = {
  apiKeys: readonly ApiKey[];
  usagePlans: readonly UsagePlan[];
  planKeys: readonly PlanKey[];
};

export const noUsage: Usage = { apiKeys: [], usagePlans: [], planKeys: [] };

type StageName = Pick<ApiStage, "apiId" | "stage">;
type Planned = Pick<UsagePlan, "id" | "apiStages">;

/** A stage as the API of usage plans writes it. */
export function stageName({ apiId, stage }: StageName): string {
  return `${apiId}:${stage}`;
}

export function covers({ apiStages }: Planned, stage: StageName): boolean {
  return apiStages.some((covered) => stageName(covered) === stageName(stage));
}

/** The plans that a key is in. */
export function plansOf<Plan extends Planned>(
  { usagePlans, planKeys }: { usagePlans: readonly Plan[]; planKeys: readonly PlanKey[] },
  keyId: string,
): Plan[] {
  const ids = new Set(planKeys.filter((entry) => entry.keyId === keyId).map((entry) => entry.usagePlanId));
  return usagePlans.filter(({ id }) => ids.has(id));
}

/** The first of these stages, if any, on which a key is in another plan: it may be in one plan of each stage. */
export function stageTaken(
  usage: { usagePlans: readonly Planned[]; planKeys: readonly PlanKey[] },
  keyId: string,
  { id, apiStages }: Planned,
): ApiStage | undefined {
  const others = plansOf(usage, keyId).filter((plan) => plan.id !== id);
  return apiStages.find((stage) => others.some((plan) => covers(plan, stage)));
}

/** The keys and plans as they are now: what the control plane changes and what requests are checked against. */
export type UsageState = {
  readonly current: Usage;
  /** What cannot be saved did not happen. */
  change(part: Partial<Usage>): void;
  /** Hears of every change once it has been made. */
  onChange(listener: () => void): void;
};

/** @param save makes a state durable; it has finished when it returns */
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

/** The value of a key, in the form that API Gateway generates: 40 letters and digits. */
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
