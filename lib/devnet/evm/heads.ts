/** Records when a chain reached its latest heights. */
export type Heads = {
  /** Records that the chain has this height now. A height lower than before means that the chain went back. */
  note(height: number): void;
  /**
   * Returns the height a number of milliseconds ago, or else the first known height. Undefined if no height is known.
   */
  before(ms: number): number | undefined;
};

/** Maximum number of heights to remember, enough for three minutes at five blocks a second. */
const most = 1000;

/** @param now returns a time in milliseconds */
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
