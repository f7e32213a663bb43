/** Known blocks that a chain still has (`kept`), and those that it no longer has (`refuted`). */
export type Compared = { kept: readonly number[]; refuted: readonly number[] };

/** The last known block that is still on the chain, if any, or the blocks whose hashes are needed to find it. */
export type ForkSearch = { fork: number | undefined } | { ask: number[] };

/**
 * Continues the search for the block at which a chain forked. Most forks are near the head, so the search first asks
 * for blocks at growing distances, and then for the blocks in between.
 *
 * @param known All known blocks, in any order.
 */
export function searchFork(known: Iterable<number>, { kept, refuted }: Compared): ForkSearch {
  const first = Math.min(...refuted);
  const last = Math.max(-1, ...kept.filter((block) => block < first));
  const between = [...known].filter((block) => block > last && block < first).toSorted((a, b) => b - a);
  if (between.length === 0) return { fork: last < 0 ? undefined : last };
  const places = [0, 1, 3, 7, 15, 31, 63].filter((place) => place < between.length - 1);
  return { ask: [...places, between.length - 1].map((place) => between[place] as number) };
}
