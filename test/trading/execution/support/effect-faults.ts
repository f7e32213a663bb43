import { AsyncLocalStorage } from "node:async_hooks";
import type { Effects } from "../../../../lib/orders/effects.ts";
import type { Table } from "../../../../lib/table/table.ts";
import type { Performers } from "../../../../lib/trading/execution/run-procedure.ts";
import type { LaneBench } from "./lane-bench.ts";

/**
 * A fault of an effect: the effect never happens, the run dies right after it, or its result is lost. After a lost
 * result, the caller repeats the effect like the SDK, unless it can continue without the result.
 */
export type Fault = "not arrived" | "died after" | "answer lost";

type NumberedFault = { number: number; how: Fault };

type Name = keyof Effects;

/** Effects that change nothing, so it makes no difference whether a run dies before or after them. */
const reads: readonly Name[] = [
  "readLane",
  "readSigning",
  "readPlacing",
  "readOrder",
  "readLanes",
  "hostSnapshot",
  "look",
  "minedIn",
  "readReaderLease",
  "isReaderNeeded",
  "tryReader",
  "makeMac",
  "checkMac",
  "signBytes",
];

/** Effects that do not leave the run. */
const own: readonly Name[] = ["now", "pause"];

export const isChanging = (name: Name): boolean => !own.includes(name) && !reads.includes(name);

/** Lists the faults of an effect that have different outcomes. */
export function faultsOf(name: Name): Fault[] {
  if (own.includes(name)) return [];
  if (isChanging(name)) return ["not arrived", "died after", "answer lost"];
  return name === "hostSnapshot" || name.startsWith("read")
    ? ["not arrived", "answer lost"]
    : ["not arrived"];
}

class Died extends Error {}

/** Makes the effect with this number fail. Returns the names of all effects in order. */
export function failOne(bench: Pick<LaneBench, "wrap">, fault: NumberedFault | undefined): Name[] {
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

/** Names the failed effect in the error of a test that it broke. */
export function causedBy(names: readonly Name[], { number, how }: NumberedFault, cause: unknown): Error {
  const { message } = cause as Error;
  return new Error(`${names[number - 1]}, effect ${number}, ${how}: ${message}`, { cause });
}

async function withoutAnswer(name: Name, act: () => unknown): Promise<unknown> {
  if (name === "hostSnapshot") return undefined;
  if (name === "sign" || name === "wake") await act();
  return answersToLose.run({ count: 1 }, act);
}

const answersToLose = new AsyncLocalStorage<{ count: number }>();

/** Breaks the table client's connection where a fault loses the response. */
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

/** Runs work that a fault may end, and returns true if it survived. */
export async function survives(run: () => Promise<unknown>): Promise<boolean> {
  try {
    await run();
    return true;
  } catch (error) {
    if (error instanceof Died) return false;
    throw error;
  }
}
