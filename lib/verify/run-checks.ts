import { type CheckGroup, Skip } from "./check.ts";
import type { CleanUp } from "./clean-up.ts";

export type Verdict = {
  says: string;
  outcome: "passed" | "failed" | "skipped";
  /** Why it failed or was skipped. */
  reason?: string;
};

export type RunOptions<Given> = {
  given: Given;
  cleanUp: CleanUp;
  /** Leaves out the slow checks. */
  quick: boolean;
  /** Ends the run: what is left is skipped, and everything made so far is removed. */
  signal: AbortSignal;
  /** The text to show for an error. */
  explain: (error: unknown) => string;
  onGroup: (title: string) => void;
  onVerdict: (verdict: Verdict) => void;
  onCleanUp: (what: string) => void;
};

/** The most that one check may take. None that is well takes half of it. */
const maxMs = 10 * 60 * 1000;

/**
 * Runs the checks one after another, and then the clean-up, whatever happened. A check that fails does not end the run.
 *
 * @returns all verdicts, the last one about the clean-up.
 */
export async function runChecks<Given>(
  groups: readonly CheckGroup<Given>[],
  options: RunOptions<Given>,
): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  const note = (verdict: Verdict) => {
    verdicts.push(verdict);
    options.onVerdict(verdict);
  };
  try {
    for (const { title, checks } of groups) {
      options.onGroup(title);
      for (const check of checks) note(await judge(check, options));
    }
  } finally {
    options.onGroup("Clean-up");
    note(await clean(options));
  }
  return verdicts;
}

async function judge<Given>(
  { says, slow, run }: CheckGroup<Given>["checks"][number],
  { given, quick, signal, explain }: RunOptions<Given>,
): Promise<Verdict> {
  if (signal.aborted) return { says, outcome: "skipped", reason: "the run was interrupted" };
  if (quick && slow) return { says, outcome: "skipped", reason: "it is slow; run without --quick" };
  using ending = deadline(signal);
  try {
    await Promise.race([run(given), ending.reached]);
    return { says, outcome: "passed" };
  } catch (error) {
    if (signal.aborted) return { says, outcome: "skipped", reason: "the run was interrupted" };
    return { says, outcome: error instanceof Skip ? "skipped" : "failed", reason: explain(error) };
  }
}

/** Rejects when the signal is aborted, or a check takes too long. */
function deadline(signal: AbortSignal): { reached: Promise<never> } & Disposable {
  const { promise, reject } = Promise.withResolvers<never>();
  const end = () => reject(new Skip("the run was interrupted"));
  const timer = setTimeout(() => reject(new Error(`It took more than ${maxMs / 1000} s`)), maxMs);
  signal.addEventListener("abort", end);
  return {
    reached: promise,
    [Symbol.dispose]() {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
    },
  };
}

async function clean<Given>({ cleanUp, explain, onCleanUp }: RunOptions<Given>): Promise<Verdict> {
  const says = "Everything that the checks made is removed";
  const left = await cleanUp.run(onCleanUp);
  if (left.length === 0) return { says, outcome: "passed" };
  const reason = left.map(({ what, error }) => `${what} is left: ${explain(error)}`).join("; ");
  return { says, outcome: "failed", reason };
}
