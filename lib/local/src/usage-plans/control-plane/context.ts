import type { ApiKey, UsagePlan } from "../model.ts";
import type { UsageState } from "../usage-state.ts";
import { notFound } from "./control-plane-error.ts";

/** What the operations work on. */
export type Context = {
  state: UsageState;
  /** All that a plan can cover, as `<API id>:<stage>`. */
  stages: ReadonlySet<string>;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** How many keys the account may have. */
  maxKeys: number;
};

/** @throws ControlPlaneError NotFoundException */
export function findKey({ state }: Context, id: string): ApiKey {
  const key = state.current.apiKeys.find((each) => each.id === id);
  if (key === undefined) throw notFound("Invalid API Key identifier specified");
  return key;
}

/** @throws ControlPlaneError NotFoundException */
export function findPlan({ state }: Context, id: string): UsagePlan {
  const plan = state.current.usagePlans.find((each) => each.id === id);
  if (plan === undefined) throw notFound("Invalid Usage Plan ID specified");
  return plan;
}

/** The list with that one in place of the one that has its id. */
export function replaced<Item extends { id: string }>(items: readonly Item[], item: Item): Item[] {
  return items.map((each) => (each.id === item.id ? item : each));
}
