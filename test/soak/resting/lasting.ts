import { setTimeout as pause } from "node:timers/promises";
import { repeated } from "../trade/settle.ts";

/** Milliseconds between two looks. */
const usualEveryMs = 2000;

/**
 * Looks for problems until there are none, or a time has passed. Returns those that each look has found, because an
 * order on its way shows in only some looks.
 */
export async function lasting(
  find: () => Promise<string[]>,
  withinMs: number,
  everyMs = usualEveryMs,
): Promise<string[]> {
  let problems = await repeated(find);
  for (const endMs = Date.now() + withinMs; problems.length > 0 && Date.now() < endMs; ) {
    await pause(everyMs);
    const found = new Set(await repeated(find));
    problems = problems.filter((problem) => found.has(problem));
  }
  return problems;
}
