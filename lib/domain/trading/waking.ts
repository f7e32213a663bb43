import type { Network } from "../network.ts";
import { type Procedure, perform } from "./effects.ts";
import type { LaneKey } from "./intent.ts";
import { isHeld } from "./lane-steps.ts";
import { hashesIn, isDue } from "./lane-watch.ts";

/** Wakes every lane: the retry of whatever was lost, and the time when lanes that wait are looked at again. */
export function* sweepLanes(chain: Network): Procedure<void> {
  for (const lane of yield* perform({ do: "readLanes", chain })) yield* perform({ do: "wake", lane });
}

/** What one run of a watcher remembers of a chain. */
export type Watcher = {
  /** The hash of the block that it has seen last, for all lanes. */
  latest?: string;
  /** When it has last woken each wallet. */
  wokenMs: Map<string, number>;
};

/** A lane that was woken is not woken again so soon: the run it was woken for may have just begun, or can do nothing. */
const restMs = 3000;

/** Wakes the lanes for which a new block has news, or something is due. One look at the chain, for all lanes together. */
export function* watchReceipts(chain: Network, watcher: Watcher): Procedure<void> {
  const lanes = yield* perform({ do: "readLanes", chain });
  const nowMs = yield* perform({ do: "now" });
  const free = lanes.filter((lane) => !isHeld(lane, nowMs) && !isResting(lane, watcher, nowMs));
  if (free.length === 0) return;
  const { latest } = watcher;
  const hashes = free.flatMap(hashesIn);
  const glance = yield* perform({ do: "glance", chain, hashes, ...(latest !== undefined && { latest }) });
  for (const lane of free.filter((each) => isDue(each, glance, nowMs))) {
    watcher.wokenMs.set(lane.wallet, nowMs);
    yield* perform({ do: "wake", lane });
  }
  // Lanes that were left out have to be asked about when they are free, though the block is the same.
  if (glance !== undefined && free.length === lanes.length) watcher.latest = glance.latest;
}

const isResting = ({ wallet }: LaneKey, { wokenMs }: Watcher, nowMs: number) =>
  nowMs - (wokenMs.get(wallet) ?? Number.NEGATIVE_INFINITY) < restMs;
