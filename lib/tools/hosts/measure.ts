import { type FaultCode, type HostError, HostFault, isHostError } from "../../chains/hosts/host-fault.ts";
import type { RpcCall, ValuesOf } from "../../chains/hosts/rpc-call.ts";
import { rpcHost } from "../../chains/hosts/rpc-host.ts";

/**
 * An answer, its size, and the time that it took. `mostCalls` is the largest batch that the host is known to accept.
 */
export type Measured<Values> = {
  bytes: number;
  ms: number;
  mostCalls: number;
} & ({ values: Values } | { error: HostError });

/**
 * Sends calls in one request, as trading does. If the host rejects so many calls at once, repeats them in smaller
 * batches.
 */
export async function measure<const Calls extends readonly RpcCall<unknown>[]>(
  url: string,
  calls: Calls,
): Promise<Measured<ValuesOf<Calls>>> {
  let bytes = 0;
  const onBytes = (count: number) => {
    bytes += count;
  };
  // Creates a new host object each time, so that earlier answers do not affect the request.
  const host = rpcHost({ url, onBytes });
  const startMs = performance.now();
  const answer = await settle(host.request(calls));
  const ms = Math.round(performance.now() - startMs);
  const { mostCalls } = host.abilities();
  return answer instanceof Error
    ? { bytes, ms, mostCalls, error: answer }
    : { bytes, ms, mostCalls, values: answer };
}

/** Returns the answer, or the host's error as a value. */
export async function settle<Value>(answer: Promise<Value>): Promise<Value | HostError> {
  try {
    return await answer;
  } catch (error) {
    if (isHostError(error)) return error;
    throw error;
  }
}

const faultWords: Readonly<Record<FaultCode, string>> = {
  NO_KEY: "has a URL whose key cannot be read",
  UNREACHABLE: "cannot be reached",
  BROKEN_OFF: "breaks off the connection",
  TIMEOUT: "does not answer in time",
  BAD_STATUS: "answers with an HTTP error",
  TOO_MANY_REQUESTS: "accepts no requests for now",
  TOO_LARGE: "sends a larger answer than trading reads",
  EMPTY: "sends an empty answer",
  NOT_JSON: "sends an answer that is not JSON",
  NOT_JSON_RPC: "sends an answer that is not JSON-RPC",
  WRONG_ID: "answers another question",
  WRONG_CHAIN: "belongs to another chain",
  BAD_RESULT: "gives a result that trading cannot use",
  REFUSED: "refuses the request",
  SHORT_OF_GAS: "gives a call too little gas",
};

/**
 * Describes an error in plain words. The description contains nothing that the host sent, except the code of a refusal.
 */
export function wordsOfError(error: HostError): string {
  if (error instanceof HostFault) return faultWords[error.code];
  if (error.isBusy) return faultWords.TOO_MANY_REQUESTS;
  if (error.isOutOfStep) return "does not have this block or its state";
  if (error.kind === "unsupported") return "does not know this method, or does not allow it";
  if (error.kind === "call") return "says that the call fails on the chain";
  return `refuses the call with code ${error.code}`;
}
