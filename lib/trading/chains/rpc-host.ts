import { chainIdCall, type RpcCall, type ValuesOf } from "./evm/rpc-call.ts";
import { HostFault, isTooLarge, RpcRefusal, unsupportedCode } from "./host-fault.ts";
import { readJsonBody } from "./json-body.ts";

export type RpcHostOptions = {
  url: string;
  /** Absent for relays, which accept only transactions. */
  chainId?: number;
  /** The time limit of a request, from the connection to the last byte of its answer. */
  timeoutMs?: number;
  /** The largest answer, unless a call allows more. */
  maxBytes?: number;
};

/** One RPC server of a chain. */
export type RpcHost = {
  /**
   * Sends calls in one request.
   *
   * @throws {HostFault} if the answer is unusable as a whole, or one result is.
   * @throws {RpcRefusal} if one of the calls is answered with an error.
   */
  request<const Calls extends readonly RpcCall<unknown>[]>(
    calls: Calls,
    signal?: AbortSignal,
  ): Promise<ValuesOf<Calls>>;
};

/** Quotes of all pools of a token arrive in one answer of about 10 kB. */
const defaults = { timeoutMs: 2000, maxBytes: 2 * 1024 * 1024 };

/** Ids differ, so that a late or cached answer is not taken for the answer to this request. */
let lastId = 0;

type Item = Record<string, unknown>;

/** Each request also asks for the chain's id, since the hosts behind one address may change. */
export function rpcHost(options: RpcHostOptions): RpcHost {
  const { url, chainId, timeoutMs, maxBytes } = { ...defaults, ...options };

  /** Posts a single call as an object, since relays accept no batches, and several as an array. */
  async function post(calls: readonly RpcCall<unknown>[], signal?: AbortSignal): Promise<Item[]> {
    const firstId = lastId + 1;
    lastId += calls.length;
    const items = calls.map(({ method, params }, index) => ({
      jsonrpc: "2.0",
      id: firstId + index,
      method,
      params,
    }));
    const methods = calls.map(({ method }) => method).join();
    const limits = [AbortSignal.timeout(timeoutMs), ...(signal === undefined ? [] : [signal])];
    const answer = await readJsonBody(url, items.length === 1 ? items[0] : items, {
      methods,
      maxBytes: Math.max(maxBytes, ...calls.map((call) => call.maxBytes ?? 0)),
      signal: AbortSignal.any(limits),
    });
    return itemsInOrder(answer, firstId, calls);
  }

  /** Returns the response to each call. */
  async function itemsOf(calls: readonly RpcCall<unknown>[], signal?: AbortSignal): Promise<Item[]> {
    if (chainId === undefined) return post(calls, signal);
    const check = chainIdCall();
    const [first = {}, ...items] = await post([check, ...calls], signal);
    if (resultOf(check, first) !== chainId) throw new HostFault("WRONG_CHAIN", check.method);
    return items;
  }

  /**
   * Repeats the request without the calls whose results may be huge, so that a token cannot make a good host seem
   * faulty.
   */
  async function itemsWithinLimit(calls: readonly RpcCall<unknown>[], signal?: AbortSignal): Promise<Item[]> {
    try {
      return await itemsOf(calls, signal);
    } catch (error) {
      if (!isTooLarge(error) || !calls.some(({ mayBeHuge }) => mayBeHuge)) throw error;
      const others = await itemsOf(
        calls.filter(({ mayBeHuge }) => !mayBeHuge),
        signal,
      );
      return calls.map(({ mayBeHuge }) => (mayBeHuge ? { error: tooLarge } : (others.shift() as Item)));
    }
  }

  return {
    async request<const Calls extends readonly RpcCall<unknown>[]>(calls: Calls, signal?: AbortSignal) {
      const items = await itemsWithinLimit(calls, signal);
      return calls.map((call, index) => resultOf(call, items[index] as Item)) as ValuesOf<Calls>;
    },
  };
}

const tooLarge = { code: unsupportedCode, message: "The result is too large" };

const isItem = (value: unknown): value is Item =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Hosts may answer the calls of a batch in any order. */
function itemsInOrder(answer: unknown, firstId: number, calls: readonly RpcCall<unknown>[]): Item[] {
  const method = calls.map((call) => call.method).join();
  // A host that rejects the batch answers it with a single error.
  if (calls.length > 1 && isItem(answer) && isItem(answer.error)) throw new HostFault("REFUSED", method);
  const items: unknown[] = Array.isArray(answer) ? answer : [answer];
  if (Array.isArray(answer) !== calls.length > 1 || !items.every(isItem))
    throw new HostFault("NOT_JSON_RPC", method);
  const byId = new Map(items.map((item) => [item.id, item]));
  if (items.length !== calls.length) throw new HostFault("WRONG_ID", method);
  return calls.map((_, index) => {
    const item = byId.get(firstId + index);
    if (item === undefined) throw new HostFault("WRONG_ID", method);
    return item;
  });
}

function resultOf<Value>({ method, read, recover }: RpcCall<Value>, { result, error }: Item): Value {
  if (isItem(error) && typeof error.code === "number") {
    const message = typeof error.message === "string" ? error.message : "";
    const refusal = new RpcRefusal(method, { code: error.code, message, data: error.data });
    if (recover === undefined) throw refusal;
    return recover(refusal);
  }
  if (result === undefined || (error !== undefined && error !== null))
    throw new HostFault("NOT_JSON_RPC", method);
  try {
    return read(result);
  } catch {
    throw new HostFault("BAD_RESULT", method);
  }
}
