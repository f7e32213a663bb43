import { inPartsOf } from "../../core/in-parts.ts";
import {
  BatchRefused,
  evmRefusals,
  HostFault,
  invalidRequestCode,
  isTooLarge,
  type RefusalCodes,
  RpcRefusal,
} from "./host-fault.ts";
import { readJsonBody } from "./json-body.ts";
import { keepingValues } from "./kept-values.ts";
import { filledText, type KeyedText } from "./keyed-text.ts";
import { type Ability, type RpcCall, type ValuesOf, valueIn } from "./rpc-call.ts";
import { spendUnits } from "./spent-units.ts";
import { splitting } from "./split-calls.ts";

export type ChainIdentity = { id: number | string; call: RpcCall<number | string> };

export type RpcHostOptions = {
  url: KeyedText;
  /** The expected chain id, and the call that reads it. Absent for relays, which accept only transactions. */
  identity?: ChainIdentity;
  /** The time limit of a request, from the reading of its keys to the last byte of its answer. */
  timeoutMs?: number;
  /** Maximum number of calls per request that the host is known to accept. */
  mostCalls?: number;
  /** Maximum size of an answer, unless a call allows more. */
  maxBytes?: number;
  /** Meanings of the host's error codes, by default those of EVM hosts. */
  codes?: RefusalCodes;
  nowMs?: () => number;
  /** Receives the size of each piece of an answer. */
  onBytes?: (bytes: number) => void;
};

/** One RPC server of a chain. */
export type RpcHost = {
  /**
   * Sends calls in one request. Without calls, only checks the host's chain if that is due.
   *
   * @throws {HostFault} if the whole answer or one of its results is unusable.
   * @throws {RpcRefusal} if one of the calls is answered with an error.
   */
  request<const Calls extends readonly RpcCall<unknown>[]>(
    calls: Calls,
    signal?: AbortSignal,
  ): Promise<ValuesOf<Calls>>;
};

/** The quotes of all pools of a token come in one answer of about 10 kB. */
const defaults = {
  timeoutMs: 2000,
  maxBytes: 2 * 1024 * 1024,
  mostCalls: Number.POSITIVE_INFINITY,
  nowMs: Date.now,
  codes: evmRefusals,
};

/** Uses a new id for each request, so that a late or cached answer to an earlier request is not accepted. */
let lastId = 0;

type Item = Record<string, unknown>;

/** Limits that a host has turned out to have. */
type Abilities = {
  /** Maximum number of calls per request. */
  mostCalls: number;
  lacks: readonly Ability[];
};

/** Interval at which a host is asked again for its chain, because the servers behind one address may change. */
const chainMs = 60_000;

/** Time after which a limit is forgotten, because hosts and their plans change. */
const memoryMs = 10 * 60_000;

type Settings = RpcHostOptions & typeof defaults;

/** Returns the response to each call. */
type Ask = (calls: readonly RpcCall<unknown>[], signal?: AbortSignal) => Promise<Item[]>;

/**
 * Opens a host and learns its limits as it is used. It asks for the chain's id each minute, and with each transaction
 * that it sends.
 */
export function rpcHost(options: RpcHostOptions): RpcHost & { abilities(): Abilities } {
  const settings: Settings = { ...defaults, ...options };
  const batches = inBatches(posting(settings), settings);
  const onChain = withIdentity(batches.ask, settings);
  const able = withinAbilities(withinSize(onChain), settings);
  return {
    abilities: () => ({ mostCalls: batches.mostCalls(), lacks: able.lacks() }),
    request: keepingValues(splitting(inStep(able.ask, settings)), settings.nowMs),
  };
}

/** Posts a single call as an object, because relays accept no batches, and several calls as an array. */
const posting =
  ({ url, timeoutMs, maxBytes, onBytes, codes }: Settings): Ask =>
  async (calls, signal) => {
    const firstId = lastId + 1;
    lastId += calls.length;
    const items = calls.map(({ method, params }, index) => ({
      jsonrpc: "2.0",
      id: firstId + index,
      method,
      params,
    }));
    const names = calls.map(({ method }) => method);
    const limit = AbortSignal.any([
      AbortSignal.timeout(timeoutMs),
      ...(signal === undefined ? [] : [signal]),
    ]);
    const address = await filledText(url, limit).catch(() => {
      throw new HostFault("NO_KEY", names.join());
    });
    spendUnits(names);
    const answer = await readJsonBody(address, items.length === 1 ? items[0] : items, {
      methods: names.join(),
      maxBytes: Math.max(maxBytes, ...calls.map((call) => call.maxBytes ?? 0)),
      signal: limit,
      onBytes,
    });
    return itemsInOrder(answer, firstId, names, codes);
  };

/** Posts calls in concurrent requests of this size. A call that must come last follows them. */
async function postParts(
  post: Ask,
  size: number,
  calls: readonly RpcCall<unknown>[],
  signal?: AbortSignal,
): Promise<Item[]> {
  if (size >= calls.length) return post(calls, signal);
  const rest = calls.at(-1)?.isLast ? calls.slice(-1) : [];
  const parts = inPartsOf(size, calls.slice(0, calls.length - rest.length));
  const items = await Promise.all(parts.map((part) => post(part, signal)));
  return [...items.flat(), ...(rest.length > 0 ? await post(rest, signal) : [])];
}

/**
 * Posts calls in as few requests as the host accepts. If it refuses a batch, repeats all calls in smaller batches, and
 * remembers the size that worked.
 */
function inBatches(post: Ask, { mostCalls: mostAtFirst, nowMs }: Settings) {
  let batch = { most: mostAtFirst, untilMs: Number.POSITIVE_INFINITY };
  const mostCalls = () => (nowMs() < batch.untilMs ? batch.most : mostAtFirst);
  const ask: Ask = async (calls, signal) => {
    for (let most = mostCalls(); ; ) {
      const size = Math.min(most, calls.length);
      try {
        const items = await postParts(post, size, calls, signal);
        if (most < mostCalls()) batch = { most, untilMs: nowMs() + memoryMs };
        return items;
      } catch (error) {
        if (!(error instanceof BatchRefused) || error.sent === 1) throw error;
        most = error.most ?? Math.floor(error.sent / 2);
      }
    }
  };
  return { ask, mostCalls };
}

/**
 * Also asks for the chain's id, if that is due. A host receives a transaction only if it has recently confirmed which
 * chain it serves.
 */
function withIdentity(ask: Ask, { identity, nowMs, codes }: Settings): Ask {
  if (identity === undefined) return async (calls, signal) => (calls.length === 0 ? [] : ask(calls, signal));
  const { id, call } = identity;
  let checkedMs = Number.NEGATIVE_INFINITY;

  const askWithId: Ask = async (calls, signal) => {
    const [first = {}, ...items] = await ask([call, ...calls], signal);
    checkedMs = Number.NEGATIVE_INFINITY;
    if (resultOf(call, first, codes) !== id) throw new HostFault("WRONG_CHAIN", call.method);
    checkedMs = nowMs();
    return items;
  };

  return async (calls, signal) => {
    const isDue = nowMs() - checkedMs >= chainMs;
    if (calls.length === 0) return isDue ? askWithId([], signal) : [];
    const sends = calls.some((each) => each.sends);
    if (isDue && sends) await askWithId([], signal);
    return isDue || sends ? askWithId(calls, signal) : ask(calls, signal);
  };
}

/**
 * Repeats a request without the calls whose results may be huge. Otherwise a token could make an honest host seem
 * faulty.
 */
const withinSize =
  (ask: Ask): Ask =>
  async (calls, signal) => {
    try {
      return await ask(calls, signal);
    } catch (error) {
      if (!isTooLarge(error) || !calls.some(({ mayBeHuge }) => mayBeHuge)) throw error;
      const others = await ask(
        calls.filter(({ mayBeHuge }) => !mayBeHuge),
        signal,
      );
      return calls.map(({ mayBeHuge }) => (mayBeHuge ? { error: tooLarge } : (others.shift() as Item)));
    }
  };

/** Skips the calls that the host cannot answer, and records which they are. */
function withinAbilities(ask: Ask, { nowMs, codes }: Settings) {
  const lackedUntilMs = new Map<Ability, number>();
  const lacks = (ability: Ability) => nowMs() < (lackedUntilMs.get(ability) ?? 0);
  const askAble: Ask = async (calls, signal) => {
    const able = calls.filter(({ needs }) => needs === undefined || !lacks(needs));
    const items = await ask(able, signal);
    for (const [index, { needs, isLacking, method }] of able.entries()) {
      const refusal = refusalIn(method, items[index] as Item, codes);
      const isLacked = refusal !== undefined && (refusal.isMissing || isLacking?.(refusal) === true);
      if (needs !== undefined && isLacked) lackedUntilMs.set(needs, nowMs() + memoryMs);
    }
    return calls.map((call) => items[able.indexOf(call)] ?? { error: lacking });
  };
  return { ask: askAble, lacks: () => [...lackedUntilMs.keys()].filter(lacks) };
}

/**
 * Reads the results, and repeats the request once if they are inconsistent, because servers behind one address may be
 * at different blocks.
 */
const inStep =
  (ask: Ask, { codes }: Settings): RpcHost["request"] =>
  async (calls, signal) => {
    const items = await ask(calls, signal);
    const values = calls.map((call, index) => settled(() => resultOf(call, items[index] as Item, codes)));
    const isOutOfStep = calls.map((call, index) => {
      const { error } = values[index] as Settled;
      return error instanceof RpcRefusal && error.isOutOfStep && !call.sends;
    });
    const again = calls.filter(
      ({ isLast }, index) => isOutOfStep[index] || (isLast && isOutOfStep.includes(true)),
    );
    const others = again.length === 0 ? [] : await ask(again, signal);
    return calls.map((call, index) => {
      const item = others[again.indexOf(call)];
      if (item !== undefined) return resultOf(call, item, codes);
      const { value, error } = values[index] as Settled;
      if (error !== undefined) throw error;
      return value;
    }) as ValuesOf<typeof calls>;
  };

const tooLarge = { code: invalidRequestCode, message: "The result is too large" };

const isItem = (value: unknown): value is Item =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const lacking = { code: invalidRequestCode, message: "The host has no such ability" };

type Settled = { value?: unknown; error?: unknown };

function settled(read: () => unknown): Settled {
  try {
    return { value: read() };
  } catch (error) {
    return { error };
  }
}

/** Hosts may answer the calls of a batch in any order. */
function itemsInOrder(
  answer: unknown,
  firstId: number,
  methods: readonly string[],
  codes: RefusalCodes,
): Item[] {
  const method = methods.join();
  const isBatch = methods.length > 1;
  const items: unknown[] = Array.isArray(answer) ? answer : [answer];
  const refusals = items.flatMap((item) => (isItem(item) ? (refusalIn(method, item, codes) ?? []) : []));
  // A host rejects a batch either with a single error, or with errors for single calls that concern the whole batch.
  const [single] = Array.isArray(answer) ? [] : refusals;
  const refusal = refusals.find((each) => each.refusesBatch) ?? single;
  if (isBatch && refusal !== undefined)
    throw refusal.isBusy ? new HostFault("REFUSED", method) : refusal.asBatch(methods);
  if (Array.isArray(answer) !== isBatch || !items.every(isItem)) throw new HostFault("NOT_JSON_RPC", method);
  if (single !== undefined && (items[0]?.id ?? null) === null) throw new HostFault("REFUSED", method);
  const byId = new Map(items.map((item) => [item.id, item]));
  if (items.length !== methods.length) throw new HostFault("WRONG_ID", method);
  return methods.map((_, index) => {
    const item = byId.get(firstId + index);
    if (item === undefined) throw new HostFault("WRONG_ID", method);
    return item;
  });
}

/** Returns the host's error for a call, if there is one. */
function refusalIn(method: string, { error }: Item, codes: RefusalCodes): RpcRefusal | undefined {
  if (!isItem(error) || typeof error.code !== "number") return undefined;
  const message = typeof error.message === "string" ? error.message : "";
  return new RpcRefusal(method, { code: error.code, message, data: error.data }, codes);
}

function resultOf<Value>({ method, read, recover }: RpcCall<Value>, item: Item, codes: RefusalCodes): Value {
  const refusal = refusalIn(method, item, codes);
  if (refusal !== undefined) {
    if (recover === undefined) throw refusal;
    return recover(refusal);
  }
  const { result, error } = item;
  if (result === undefined || (error !== undefined && error !== null))
    throw new HostFault("NOT_JSON_RPC", method);
  return valueIn({ method, read }, result);
}
