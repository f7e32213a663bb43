import * as v from "valibot";
import { Bytes, Hash, lastSecond, SafeNumber } from "../../chains/evm/calls/rpc-call.ts";

export type Log = v.InferOutput<typeof LogSchema>;

/** Reads a block's time. Hosts that do not know it omit the field or write a 0. */
const TimeSchema = v.fallback(v.optional(v.pipe(SafeNumber, v.maxValue(lastSecond)), "0x0"), 0);

const LogSchema = v.object({
  address: v.pipe(v.string(), v.toLowerCase()),
  topics: v.array(Hash),
  data: Bytes,
  blockNumber: SafeNumber,
  blockHash: Hash,
  logIndex: SafeNumber,
  blockTimestamp: TimeSchema,
});

/**
 * Leaves out logs that a reorganisation has taken back. They may be incomplete, because their other fields may be
 * missing.
 */
export const LogsSchema = v.pipe(
  v.array(v.union([v.object({ removed: v.literal(true) }), LogSchema])),
  v.transform((logs) => logs.filter((log): log is Log => !("removed" in log))),
);
