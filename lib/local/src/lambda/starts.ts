export type Turn = { leave: () => void };

/** Limits how many processes start at once, so that starts do not take all processor time. */
export type Starts = {
  /** Waits for a turn, in order of arrival. Resolves to undefined if the signal is aborted first. */
  enter(signal: AbortSignal): Promise<Turn | undefined>;
};

/** @param atOnce maximum number of overlapping turns */
export function createStarts(atOnce: number): Starts {
  const waiting = new Set<() => void>();
  let free = atOnce;

  function leave(): void {
    const [next] = waiting;
    if (next === undefined) free++;
    else next();
  }

  return {
    enter(signal) {
      const { promise, resolve } = Promise.withResolvers<Turn | undefined>();
      const begin = () => {
        waiting.delete(begin);
        resolve({ leave });
      };
      waiting.add(begin);
      signal.addEventListener("abort", () => waiting.delete(begin) && resolve(undefined));
      if (free > 0) {
        free--;
        begin();
      }
      return promise;
    },
  };
}
