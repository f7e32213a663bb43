import type { Network } from "../../core/network.ts";
import { type Procedure, perform } from "./effects.ts";
import type { LaneKey } from "./intent.ts";
import { isHeld } from "./lane-steps.ts";
import { hashesIn, isDue } from "./lane-watch.ts";

/** Wakes every lane: this retries anything that was lost, and looks again at lanes that wait. */
export function* sweepLanes(chain: Network): Procedure<void> {
  for (const lane of yield* perform({ do: "readLanes", chain })) yield* perform({ do: "wake", lane });
}

/** The memory of a watcher's run for a chain. */
export type Watcher = {
  /** The hash of the last block that it has seen, for all lanes. */
  latest?: string;
  /** The time at which it last woke each wallet. */
  wokenMs: Map<string, number>;
};

/** A lane is not woken twice within this time: its run may have just begun, or may have nothing to do. */
const restMs = 3000;

/** Wakes the lanes for which a new block has news, or which are due. One request to the chain serves all lanes. */
export function* watchReceipts(chain: Network, watcher: Watcher): Procedure<void> {
  const lanes = yield* perform({ do: "readLanes", chain });
  const nowMs = yield* perform({ do: "now" });
  const free = lanes.filter((lane) => !isHeld(lane, nowMs) && !isResting(lane, watcher, nowMs));
  if (free.length === 0) return;
  const { latest } = watcher;
  const hashes = free.flatMap(hashesIn);
  const chainSnapshot = yield* perform({
    do: "chainSnapshot",
    chain,
    hashes,
    ...(latest !== undefined && { latest }),
  });
  for (const lane of free.filter((each) => isDue(each, chainSnapshot, nowMs))) {
    watcher.wokenMs.set(lane.wallet, nowMs);
    yield* perform({ do: "wake", lane });
  }
  // Lanes left out must be checked when they are free, even if the block is the same.
  if (chainSnapshot !== undefined && free.length === lanes.length) watcher.latest = chainSnapshot.latest;
}

const isResting = ({ wallet }: LaneKey, { wokenMs }: Watcher, nowMs: number) =>
  nowMs - (wokenMs.get(wallet) ?? Number.NEGATIVE_INFINITY) < restMs;
