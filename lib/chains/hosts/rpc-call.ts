import { HostFault, type RpcRefusal } from "./host-fault.ts";

export type Ability = "simulation" | "pendingNonces" | "logs" | "percentiles";

/** A JSON-RPC call, and the function that reads its result. */
export type RpcCall<Value> = {
  method: string;
  params: readonly unknown[];
  /** Throws if the result is malformed. */
  read: (result: unknown) => Value;
  /** Turns an error into a value, or throws it again. Without this function, an error fails the whole request. */
  recover?: (refusal: RpcRefusal) => Value;
  /** Splits a call that exceeded one of the host's limits into smaller calls. Undefined for other failures. */
  split?: (refusal: RpcRefusal) => CallParts | undefined;
  /**
   * True if the size of the result depends on unknown contracts. If the answer is then too large, only this call counts
   * as unsupported.
   */
  mayBeHuge?: true;
  /** An ability that not every host has. A host without it is not asked, and the call counts as unsupported. */
  needs?: Ability;
  /** True if a refusal means that the host lacks this ability, even if its message is unusual. */
  isLacking?: (refusal: RpcRefusal) => boolean;
  /** Size limit of an answer that includes this call, if it is above the usual limit. */
  maxBytes?: number;
  /**
   * True if the call sends a transaction. A host receives it only if it has recently confirmed which chain it serves.
   */
  sends?: true;
  /**
   * True if the call must come last in a request. A host that accepts only small batches receives it after the other
   * calls.
   */
  isLast?: true;
  /** Time for which a host's answer may be kept, and whether a value may be kept at all. */
  keep?: { forMs: number; ifValue: (value: unknown) => boolean };
};

/**
 * Reads the value of a call from the host's result.
 *
 * @throws {HostFault} if the result is malformed.
 */
export function valueIn<Value>({ method, read }: Pick<RpcCall<Value>, "method" | "read">, result: unknown) {
  try {
    return read(result);
  } catch {
    throw new HostFault("BAD_RESULT", method);
  }
}

/** Smaller calls that replace one call, and the function that combines their values. */
export type CallParts = {
  calls: readonly RpcCall<unknown>[];
  join: (values: readonly unknown[]) => unknown;
};

/** Makes a call whose error becomes its value, unless only this host has the problem. */
export const attempt = <Value>(call: RpcCall<Value>): RpcCall<Value | RpcRefusal> => ({
  ...call,
  recover(refusal) {
    if (refusal.kind === "host") throw refusal;
    return refusal;
  },
});

/** Makes a call whose value is undefined if the host refuses it or gives an unusable result. */
export const attemptQuietly = <Value>({
  read,
  split: _,
  ...call
}: RpcCall<Value>): RpcCall<Value | undefined> => ({
  ...call,
  read(result) {
    try {
      return read(result);
    } catch {
      return undefined;
    }
  },
  recover: () => undefined,
});

/** The values of calls, in the same order. */
export type ValuesOf<Calls extends readonly RpcCall<unknown>[]> = {
  -readonly [Index in keyof Calls]: Calls[Index] extends RpcCall<infer Value> ? Value : never;
};

/** Applies a further function to a call's value. */
export const thenRead = <Value, Further>(
  { method, params, read, recover, split }: RpcCall<Value>,
  further: (value: Value) => Further,
): RpcCall<Further> => ({
  method,
  params,
  read: (result) => further(read(result)),
  ...(recover && { recover: (refusal) => further(recover(refusal)) }),
  ...(split && { split }),
});
