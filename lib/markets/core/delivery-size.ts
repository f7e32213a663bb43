import type { ChangedRecord } from "./market-delivery.ts";

/**
 * Maximum number of bytes of all records in a delivery. Lambda accepts 6 MB, of which new connections, their refusals
 * and everything else take less than half.
 */
export const mostRecordBytes = 3_000_000;

/**
 * Selects records that fit into a delivery. Drops the minute candles of those for which there is too little room, and
 * leaves out the rest. Begins each time with another record, so that none is left out every time.
 *
 * @param first The number of a record. It may exceed their number.
 */
export function fitting(
  records: readonly ChangedRecord[],
  first: number,
  mostBytes = mostRecordBytes,
): ChangedRecord[] {
  const begin = records.length === 0 ? 0 : first % records.length;
  let bytes = 0;
  return [...records.slice(begin), ...records.slice(0, begin)].flatMap((each) => {
    const { minutes: _, ...record } = each.record;
    for (const candidate of [each, { ...each, record }]) {
      const size = Buffer.byteLength(JSON.stringify(candidate)) + 1;
      if (bytes + size > mostBytes) continue;
      bytes += size;
      return candidate;
    }
    return [];
  });
}
