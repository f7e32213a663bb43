import * as v from "valibot";
import { OperatorError } from "../operator-error.ts";
import type { Deployment } from "./status-lines.ts";

/** Response of the local runner at /status.json. */
const Run = v.object({
  startedAt: v.string(),
  faults: v.record(v.string(), v.array(v.number())),
  queued: v.number(),
});

/** Number of faults in five minutes that raises most alarms of a deployment. */
const raisedBy = 3;

/** @throws {OperatorError} if the server at the port is not `npm start`. */
export async function readLocalState(port: number): Promise<Deployment> {
  const answer = await fetch(`http://127.0.0.1:${port}/status.json`, { signal: AbortSignal.timeout(5000) })
    .then((response): Promise<unknown> => response.json())
    .catch(() => undefined);
  const run = v.safeParse(Run, answer);
  if (!run.success)
    throw new OperatorError(`The server on port ${port} tells no state; start it with npm start`);
  const { startedAt, faults, queued } = run.output;
  return {
    deployed: [{ name: "npm start", state: "running", at: startedAt, isWrong: false }],
    brokenKeys: [],
    alarms: undefined,
    raised: Object.entries(faults).flatMap(([source, times]) =>
      times.length < raisedBy
        ? []
        : [
            {
              name: source,
              since: new Date(times[0] ?? 0).toISOString(),
              words: `${times.length} faults in five minutes; its log is in the folder logs of the data folder`,
            },
          ],
    ),
    waiting: [{ name: "failed changes", count: queued, unit: "messages", isWrong: queued > 0 }],
    broadcasts: new Map(),
  };
}
