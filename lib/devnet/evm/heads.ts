/** When a chain reached its newest heights. */
export type Heads = {
  /** Notes that the chain has this height now. A lower one than before means that it went back. */
  note(height: number): void;
  /** Returns the height at an earlier time, or else the first known height. Undefined if no height is known. */
  before(ms: number): number | undefined;
};

/** Enough for three minutes of five blocks a second. */
const most = 1000;

/** @param now a clock in milliseconds. */
export function createHeads(now: () => number = () => performance.now()): Heads {
  let heads: { height: number; sinceMs: number }[] = [];
  return {
    note(height) {
      heads = heads.filter((head) => head.height <= height);
      if (heads.at(-1)?.height !== height) heads.push({ height, sinceMs: now() });
      if (heads.length > most) heads.shift();
    },
    before(ms) {
      const head = heads.findLast(({ sinceMs }) => sinceMs <= now() - ms) ?? heads[0];
      return head?.height;
    },
  };
}
