import type { Mirror } from "../../../lib/plans/mirror.ts";
import { type Call, observed } from "./observed.ts";

/** How a call fails: it never arrives, or it takes effect and its answer is lost. */
export type Fault = "not arrived" | "answer lost";

/**
 * Runs something in a world where the call of that number, to the table or the control plane, fails.
 *
 * @returns the calls that there were.
 */
export async function withFault<World extends Pick<Mirror, "table" | "plans">>(
  world: World,
  [number, fault]: readonly [number, Fault],
  run: (world: World) => Promise<unknown>,
): Promise<Call[]> {
  const calls: Call[] = [];
  await observed(
    world,
    async (kind, call) => {
      if (calls.push(kind) !== number) return call();
      if (fault === "answer lost") await call();
      // What the SDK takes for a connection that broke.
      throw Object.assign(new Error("broken off"), { code: "ECONNRESET" });
    },
    run,
  ).catch(() => undefined);
  return calls;
}
