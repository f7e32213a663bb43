/**
 * Works on items as they arrive, up to `concurrency` at a time. After an abort or an error of the source, starts no
 * more items, but finishes those already started.
 *
 * @param work must not reject.
 * @throws the error of the source.
 */
export async function forEachConcurrently<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  { concurrency, signal }: { concurrency: number; signal?: AbortSignal },
  work: (item: Item) => Promise<unknown>,
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
