/**
 * Makes a read that remembers its result for a while, for items that everybody reads. Concurrent callers share a read.
 * A failed read is not remembered.
 *
 * @param forMs the maximum age of the result, counted from the start of its read.
 */
export function remembered<Result>(read: () => Promise<Result>, forMs: number): () => Promise<Result> {
  let last: { begunAt: number; result: Promise<Result> } | undefined;
  return () => {
    const now = Date.now();
    // Drops an old result. Does so even if the clock was set back.
    if (last !== undefined && now >= last.begunAt && now - last.begunAt < forMs) return last.result;
    const current = { begunAt: now, result: read() };
    last = current;
    current.result.catch(() => {
      if (last === current) last = undefined;
    });
    return current.result;
  };
}
