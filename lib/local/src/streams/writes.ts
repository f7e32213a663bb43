/** Announces writes to the database, so that readers of streams need not look for changes all the time. */
export type Writes = {
  /** Wakes the readers. */
  announce(): void;
  /** Resolves at the next write. */
  next(): Promise<void>;
};

export function createWrites(): Writes {
  let coming = Promise.withResolvers<void>();
  return {
    announce() {
      coming.resolve();
      coming = Promise.withResolvers();
    },
    next: () => coming.promise,
  };
}
