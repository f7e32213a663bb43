import type { Network } from "../../core/network.ts";
import { type Item, queryRange, type Table } from "../../table/table.ts";
import { write } from "../../table/write.ts";
import type { Effects } from "../core/effects.ts";
import type { ReaderLease } from "../core/table-step.ts";
import { watcherKey, watcherOf } from "./keys.ts";

/** Reads the lease of a chain, consistently. */
export async function readReaderLease(table: Table, chain: Network): Promise<ReaderLease | undefined> {
  const [item] = await queryRange<Partial<ReaderLease>>(table, watcherOf(chain));
  if (item?.epoch === undefined) return undefined;
  const { PK: _, SK: __, ...lease } = item as Item<ReaderLease>;
  return lease;
}

/** Changes the lease of a chain. Without a condition, it must not exist yet. */
export async function changeReaderLease(
  table: Table,
  { chain, when, set }: Effects["changeReaderLease"]["ask"],
): Promise<boolean> {
  return write(table, {
    kind: "change",
    key: watcherKey(chain),
    set,
    when: when ?? ["absent", { epoch: undefined }],
  });
}
