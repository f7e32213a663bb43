import { AsyncLocalStorage } from "node:async_hooks";
import type { Table } from "../../../../lib/table/table.ts";
import type { Effects } from "../../../../lib/trading/core/effects.ts";
import type { Performers } from "../../../../lib/trading/execution/run-procedure.ts";
import type { LaneBench } from "./lane-bench.ts";

/**
 * How an effect fails: it does not happen, the run dies right after it, or it happens and its answer is lost. What asked for
 * it repeats it then, as the SDK does, unless it goes on without an answer.
 */
export type Fault = "not arrived" | "died after" | "answer lost";

type Name = keyof Effects;

/** The effects that change nothing: it makes no difference whether the run dies before or after them. */
const reads: readonly Name[] = [
  "readLane",
  "readSigning",
  "readPlacing",
  "readOrder",
  "readLanes",
  "look",
  "chainSnapshot",
  "makeMac",
  "checkMac",
  "signBytes",
];

/** They happen in the run itself. */
const own: readonly Name[] = ["now", "pause"];

export const isChanging = (name: Name): boolean => !own.includes(name) && !reads.includes(name);

/** The ways in which an effect can fail that differ from each other. */
export function faultsOf(name: Name): Fault[] {
  if (own.includes(name)) return [];
  if (isChanging(name)) return ["not arrived", "died after", "answer lost"];
  return name === "look" || name.startsWith("read") ? ["not arrived", "answer lost"] : ["not arrived"];
}

class Died extends Error {}

/** Has one effect fail, given by its number. Returns the names of all effects in their order, as they are performed. */
export function failOne(bench: LaneBench, fault: { number: number; how: Fault } | undefined): Name[] {
  const names: Name[] = [];
  const plain = bench.wrap;
  bench.wrap = (performers) =>
    Object.fromEntries(
      Object.entries(plain(performers)).map(([name, perform]) => [
        name,
        async (ask: object) => {
          const act = perform as (ask: object) => unknown;
          if (names.push(name as Name) !== fault?.number) return act(ask);
          if (fault.how === "not arrived") throw new Died();
          if (fault.how === "answer lost") return withoutAnswer(name as Name, () => act(ask));
          await act(ask);
          throw new Died();
        },
      ]),
    ) as Performers;
  return names;
}

async function withoutAnswer(name: Name, act: () => unknown): Promise<unknown> {
  if (name === "look") return undefined;
  if (name === "sign" || name === "wake") await act();
  return answersToLose.run({ count: 1 }, act);
}

const answersToLose = new AsyncLocalStorage<{ count: number }>();

/** Has the table's client see an answer as a broken connection, where one is to be lost. */
export function loseAnswers({ client }: Table): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      const output = await next(args);
      const toLose = answersToLose.getStore();
      if (toLose === undefined || toLose.count === 0) return output;
      toLose.count--;
      throw Object.assign(new Error("broken off"), { code: "ECONNRESET" });
    },
    { name: "loseAnswers", step: "deserialize", priority: "high" },
  );
}

/** Runs something that may die of a fault. Returns whether it did not. */
export async function survives(run: () => Promise<unknown>): Promise<boolean> {
  try {
    await run();
    return true;
  } catch (error) {
    if (error instanceof Died) return false;
    throw error;
  }
}
