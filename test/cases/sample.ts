import { stageAddress } from "../e2e/folders.ts";

/** A test case, with the rule that it illustrates and its own title. */
export type Case = { rule: string; title: string };

/** Test cases, grouped by rule. */
export type Table<Value> = Record<string, readonly (readonly [title: string, value: Value])[]>;

export function casesOf<Value>(table: Table<Value>): (Case & { value: Value })[] {
  return Object.entries(table).flatMap(([rule, cases]) =>
    cases.map(([title, value]) => ({ rule, title, value })),
  );
}

/**
 * Selects the cases for the end-to-end tests: the first of each rule. With FULL=1 or against a deployed stage, selects
 * all, as unit tests always do.
 */
export function sampled<Each extends { rule: string }>(cases: readonly Each[], env = process.env): Each[] {
  if (runsAll(env)) return [...cases];
  return cases.filter(({ rule }, index) => cases.findIndex((other) => other.rule === rule) === index);
}

export const runsAll = (env = process.env) => env.FULL === "1" || stageAddress(env) !== undefined;
