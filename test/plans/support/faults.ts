import type { MirrorDeps } from "../../../lib/plans/mirror.ts";
import { type Call, observed } from "./observed.ts";

/** Fault of a call: the call never arrives, or takes effect but its response is lost. */
export type Fault = "not arrived" | "answer lost";

/**
 * Runs an action in which the call of this number to the table or the control plane fails.
 *
 * @returns all calls of the run.
 */
export async function withFault<Deps extends Pick<MirrorDeps, "table" | "plans">>(
  deps: Deps,
  [number, fault]: readonly [number, Fault],
  run: (deps: Deps) => Promise<unknown>,
): Promise<Call[]> {
  const calls: Call[] = [];
  await observed(
    deps,
    async (kind, call) => {
      if (calls.push(kind) !== number) return call();
      if (fault === "answer lost") await call();
      // The SDK treats this code as a broken connection.
      throw Object.assign(new Error("broken off"), { code: "ECONNRESET" });
    },
    run,
  ).catch(() => undefined);
  return calls;
}
