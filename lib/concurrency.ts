/**
 * Works on items as they come, on so many at a time. Once the signal is aborted no further one is begun; those that were
 * are brought to their end, also when the source of the items fails.
 *
 * @param work must not reject.
 * @throws what the source throws.
 */
export async function forEachConcurrently<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  { concurrency, signal }: { concurrency: number; signal?: AbortSignal },
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  const worker = async () => {
    for (;;) {
      const next = await iterator.next();
      if (next.done || signal?.aborted) return;
      await work(next.value);
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: concurrency }, worker));
  for (const result of workers) if (result.status === "rejected") throw result.reason;
}
