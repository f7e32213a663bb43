/** Which records of a shard are through, however many are under way at a time. */
export type Progress = {
  begin(sequenceNumber: string): void;
  done(sequenceNumber: string): void;
  /** Resolves when no more than so many are under way. */
  untilAtMost(count: number): Promise<void>;
};

/** @param onAdvance hears the sequence number up to which, and including which, everything is through */
export function createProgress(onAdvance: (sequenceNumber: string) => void): Progress {
  /** In order; true for one that is through while one before it is not. */
  const underWay = new Map<string, boolean>();
  let waiting: { count: number; proceed: () => void }[] = [];

  return {
    begin(sequenceNumber) {
      underWay.set(sequenceNumber, false);
    },
    done(sequenceNumber) {
      underWay.set(sequenceNumber, true);
      let reached: string | undefined;
      for (const [each, isDone] of underWay) {
        if (!isDone) break;
        reached = each;
        underWay.delete(each);
      }
      if (reached === undefined) return;
      onAdvance(reached);
      const ready = waiting.filter(({ count }) => underWay.size <= count);
      waiting = waiting.filter((each) => !ready.includes(each));
      for (const { proceed } of ready) proceed();
    },
    untilAtMost(count) {
      if (underWay.size <= count) return Promise.resolve();
      return new Promise((proceed) => waiting.push({ count, proceed }));
    },
  };
}
