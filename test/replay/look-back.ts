import type { ChainName } from "trading-terminal-devnet/chain-facts";
import type { Asked } from "./asked.ts";
import type { Point } from "./points.ts";

/** How long a price must have been reached before something follows from it. */
export type Look = "none" | "short" | "long";

/** Number of earlier blocks that must have reached the price, too, and how many blocks ago they may be. */
type Held = { count: number; within: number };

/** Blocks that the networks make in 8 seconds, and in 2. The local chains make one a second. */
const blocksIn = { base: [40, 10], bsc: [18, 5], avax: [8, 2], eth: [2, 1] } as const;

/** A stop needs three blocks in a row on eth, and elsewhere the head and three random ones of the last 8 seconds. */
function heldOn(chain: Exclude<ChainName, "sol">, look: Look): Held {
  const [long, short] = blocksIn[chain];
  if (look === "none") return { count: 0, within: 0 };
  if (look === "short") return { count: 1, within: short };
  return { count: chain === "eth" ? 2 : 3, within: long };
}

/** Number of slots before a firing that contain its readings, and by which hosts may differ. */
const mostSlots = 100;

/** Milliseconds over which readings on sol must have reached the price, less than 8 and 2 seconds for clocks. */
const heldMs = { none: 0, short: 1300, long: 7000 };

/** Minimum number of points around a firing on sol by which it can be judged. */
const leastPoints = 4;

/** Judges whether something held over a look-back that ended in a block. Undefined if the blocks are not all known. */
export function hasHeld<Of extends Point>(
  { chain }: Pick<Asked, "chain">,
  points: readonly Of[],
  { block, look, isOk }: { block: number; look: Look; isOk: (point: Of) => boolean },
): "yes" | "no" | "too short" | undefined {
  const among = (from: number, to: number) => points.filter(({ number }) => number >= from && number <= to);
  if (chain === "sol") {
    const found = among(block - mostSlots, block + 2);
    const times = found.filter(isOk).map(({ atMs }) => atMs);
    if (found.length < leastPoints) return undefined;
    if (times.length === 0) return "no";
    return Math.max(...times) - Math.min(...times) < heldMs[look] ? "too short" : "yes";
  }
  const { count, within } = heldOn(chain, look);
  const [head, before] = [among(block, block), among(block - within, block - 1)];
  if (head.length === 0 || numbersOf(before) < within) return undefined;
  if (!head.some(isOk)) return "no";
  return numbersOf(before.filter(isOk)) < count ? "too short" : "yes";
}

const numbersOf = (points: readonly Point[]) => new Set(points.map(({ number }) => number)).size;

/** Computes for each point the highest price that a look-back ending there may have seen at all of its samples. */
export function highestHeld({ chain }: Pick<Asked, "chain">, points: readonly Point[]): number[] {
  return points.map((point, index) => {
    const { price = 0, number, atMs } = point;
    if (chain === "sol") {
      let highest = 0;
      for (let at = index; at >= 0; at--) {
        const earlier = points[at] as Point;
        if (number - earlier.number > mostSlots) break;
        if (atMs - earlier.atMs >= heldMs.long)
          highest = Math.max(highest, Math.min(price, earlier.price ?? 0));
      }
      return highest;
    }
    const { count, within } = heldOn(chain, "long");
    const best = new Map<number, number>();
    for (let at = index - 1; at >= 0; at--) {
      const earlier = points[at] as Point;
      if (number - earlier.number > within) break;
      if (earlier.number < number)
        best.set(earlier.number, Math.max(best.get(earlier.number) ?? 0, earlier.price ?? 0));
    }
    const sorted = [...best.values()].toSorted((a, b) => b - a);
    return Math.min(price, sorted[count - 1] ?? 0);
  });
}
