import { HostFault, type RpcRefusal } from "./host-fault.ts";

export type Ability = "simulation" | "pendingNonces" | "logs";

/** A JSON-RPC call, and the function that reads its result. */
export type RpcCall<Value> = {
  method: string;
  params: readonly unknown[];
  /** Throws if the result is malformed. */
  read: (result: unknown) => Value;
  /** Turns an error into a value, or throws it again. If absent, the whole request fails. */
  recover?: (refusal: RpcRefusal) => Value;
  /** Splits a call that exceeded a limit of the host into smaller ones. Undefined for other failures. */
  split?: (refusal: RpcRefusal) => CallParts | undefined;
  /**
   * The size of its result depends on unknown contracts. If the answer is too large, this call counts as unsupported.
   */
  mayBeHuge?: true;
  /** Not every host has this ability. A host without it is not asked, and the call counts as unsupported. */
  needs?: Ability;
  /** True if a refusal means that the host lacks this ability, although its message differs. */
  isLacking?: (refusal: RpcRefusal) => boolean;
  /** Size limit of an answer with this call, if above the usual one. */
  maxBytes?: number;
  /** True if the call sends a transaction. A host gets it only if it has recently named its chain. */
  sends?: true;
  /** True for the last call of a request. A host that accepts only small batches gets it after the other calls. */
  isLast?: true;
};

/**
 * Reads the value of a call in its result.
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

/** Smaller calls that replace one, and the function that combines their values. */
export type CallParts = {
  calls: readonly RpcCall<unknown>[];
  join: (values: readonly unknown[]) => unknown;
};

/** Makes a call whose error is a value, unless only this host has the problem. */
export const attempt = <Value>(call: RpcCall<Value>): RpcCall<Value | RpcRefusal> => ({
  ...call,
  recover(refusal) {
    if (refusal.kind === "host") throw refusal;
    return refusal;
  },
});

/** The values of calls, in the same order. */
export type ValuesOf<Calls extends readonly RpcCall<unknown>[]> = {
  -readonly [Index in keyof Calls]: Calls[Index] extends RpcCall<infer Value> ? Value : never;
};

/** Reads the value of a call further. */
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
