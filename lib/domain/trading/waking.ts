import type { Network } from "../network.ts";
import { type LaneView, type Procedure, perform } from "./effects.ts";
import { isHeld } from "./lane-steps.ts";
import { hasWork } from "./next-move.ts";
import type { Lane } from "./table-step.ts";
import { lookAt } from "./work-lane.ts";

/** Wakes every lane: the retry of whatever was lost, and the time when lanes that wait are looked at again. */
export function* sweepLanes(chain: Network): Procedure<void> {
  for (const lane of yield* perform({ do: "readLanes", chain })) yield* perform({ do: "wake", lane });
}

/** Wakes the lanes for which the chain has news. */
export function* watchReceipts(chain: Network): Procedure<void> {
  for (const lane of yield* perform({ do: "readLanes", chain }))
    if (yield* hasNews(lane)) yield* perform({ do: "wake", lane });
}

function* hasNews(lane: Lane): Procedure<boolean> {
  const nowMs = yield* perform({ do: "now" });
  if (isHeld(lane, nowMs)) return false;
  const view = yield* perform({ do: "readLane", lane });
  if (view.lane === undefined) return false;
  const sights = yield* lookAt(lane, view);
  return hasWork({ view, sights, nowMs, holder: "", sentAtMs: sentAlready(view), isPatient: false });
}

/** Takes everything as sent: repeating is the sweep's work. */
const sentAlready = ({ slots }: LaneView): Map<string, number> =>
  new Map(
    slots.flatMap(({ attempts }) =>
      attempts.map(({ hash, sentAtMs, signedAtMs }) => [hash, sentAtMs ?? signedAtMs] as const),
    ),
  );
