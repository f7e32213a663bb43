/** Identifies an item of a table: equal texts mean the same item. */
export type ItemName = string;

/** Tracks the items used by calls in progress. */
export type InFlight = {
  /** Returns the items that a transaction in progress writes or checks. */
  inTransaction(items: readonly ItemName[]): Set<ItemName>;
  /** Returns the items that any call in progress writes, or that a transaction checks. */
  written(items: readonly ItemName[]): Set<ItemName>;
  /** Runs a single write. */
  write<Result>(items: readonly ItemName[], run: () => Promise<Result>): Promise<Result>;
  /** Waits for single writes of these items in progress, then runs a transaction. */
  transact<Result>(items: readonly ItemName[], run: () => Promise<Result>): Promise<Result>;
};

export function createInFlight(): InFlight {
  const transactions = new Set<ItemName>();
  const writes = new Map<ItemName, Set<Promise<unknown>>>();
  const isWritten = (item: ItemName) => transactions.has(item) || writes.has(item);

  return {
    inTransaction: (items) => new Set(items.filter((item) => transactions.has(item))),
    written: (items) => new Set(items.filter(isWritten)),

    async write(items, run) {
      const { promise, resolve } = Promise.withResolvers<void>();
      for (const item of items) writes.set(item, (writes.get(item) ?? new Set()).add(promise));
      try {
        return await run();
      } finally {
        for (const item of items) {
          const others = writes.get(item);
          others?.delete(promise);
          if (others?.size === 0) writes.delete(item);
        }
        resolve();
      }
    },

    async transact(items, run) {
      for (const item of items) transactions.add(item);
      try {
        await Promise.all(items.flatMap((item) => [...(writes.get(item) ?? [])]));
        return await run();
      } finally {
        for (const item of items) transactions.delete(item);
      }
    },
  };
}
