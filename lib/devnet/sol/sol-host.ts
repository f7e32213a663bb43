import { type GatewayResponse, ratesSchema, strikesOf } from "cdk-local-runner";
import * as v from "valibot";
import { fixedAnswerNames, serveUnlessFixed } from "../fixed-answers.ts";
import { longError } from "../host-refusals.ts";
import { type RpcQuestion, type RpcReply, rpcService } from "../rpc-service.ts";
import { listenAs, type StandInOptions } from "../stand-in.ts";
import { answerAsOf, behindBy } from "./lagging-sol.ts";
import { replyFrom, type SolNode, simulatedWithoutBlockhash, unknownBlockhash } from "./sol-node.ts";
import { type SolPast, startSolPast } from "./sol-past.ts";
import { transactionIn } from "./wire-message.ts";

/**
 * Faults of a host. The fixed answers and `rateLimited` affect whole requests, and all others affect single questions.
 */
const names = [
  ...fixedAnswerNames,
  ...(["backwards", "blockhashNotFound", "dropSends", "longError", "noBatches", "nodeBehind"] as const),
  ...(["otherChain", "pruned", "rateLimited"] as const),
] as const;

/**
 * Shares of requests or questions that meet each failure. In addition, the host is `slotsBehind` the chain, and gives
 * the fixed `results` of some methods.
 */
const SolHostFaults = ratesSchema(names, {
  slotsBehind: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
  results: v.optional(v.record(v.string(), v.unknown())),
});

export type SolHostFaults = v.InferOutput<typeof SolHostFaults>;

export type SolHost = {
  url: string;
  faults: SolHostFaults;
  /** Changes replies, for wrong answers that depend on the question. */
  lie: (question: RpcQuestion, reply: RpcReply) => RpcReply;
  close(): Promise<void>;
};

export type SolHostOptions = StandInOptions & {
  node: SolNode;
  /** Milliseconds per slot. */
  slotMs: number;
  /** Also answers the chain's own methods `surfnet_*`, as anvil does with its own. */
  ownMethods?: boolean;
};

/** Largest batch that the host accepts. Providers' limits begin at ten calls. */
const mostInBatch = 10;

const tooManyCalls: RpcReply = {
  error: { code: -32600, message: `A batch may have at most ${mostInBatch} calls` },
};
const noBatch: RpcReply = { error: { code: -32600, message: "Batches are not supported" } };

/** Genesis hash of Solana's main cluster. */
const otherGenesisHash = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d";

const tooManyRequests = (): GatewayResponse => ({
  status: 429,
  headers: [
    ["Content-Type", "application/json"],
    ["Retry-After", "10"],
  ],
  body: Buffer.from(
    '{"jsonrpc":"2.0","error":{"code":429,"message":"Too many requests for a specific RPC call"},"id":1}',
  ),
});

/** Number of slots by which an answer with the fault `backwards` is behind other answers. */
const backwardSlots = 20;

const newestSlot = async (node: SolNode) =>
  (await node.request("getSlot", [{ commitment: "processed" }])) as number;

/** Answers like the chain, or like a lagging host. Records the chain's past only while the host lags. */
function openLag(node: SolNode, slotMs: number) {
  let past: Promise<SolPast> | undefined;

  async function forget(): Promise<void> {
    const ending = past;
    past = undefined;
    await (await ending?.catch(() => undefined))?.stop();
  }

  return {
    forget,
    async truth(question: RpcQuestion): Promise<RpcReply> {
      await forget();
      return node.replyTo(question);
    },
    /**
     * Answers like a lagging host.
     * @param backwards Number of slots by which this answer is behind other answers.
     */
    async replyTo(question: RpcQuestion, slotsBehind: number, backwards: number): Promise<RpcReply> {
      past ??= startSolPast(node, slotMs / 2).catch((error) => {
        past = undefined;
        throw error;
      });
      const known = await past;
      const newest = await newestSlot(node);
      const usual =
        slotsBehind === 0 ? newest : Math.max(known.firstSlot, known.seenBy(newest - slotsBehind));
      const head = backwards === 0 ? usual : Math.max(0, known.seenBy(usual - backwards));
      return head === newest
        ? node.replyTo(question)
        : answerAsOf({ node, past: known, newest, head }, question);
    },
  };
}

/** Hides transactions and their statuses, like a host that has deleted its history. */
function withoutHistory({ method }: RpcQuestion, reply: RpcReply, isPruned: () => boolean): RpcReply {
  if (!("result" in reply)) return reply;
  if (method === "getTransaction" && isPruned()) return { result: null };
  if (method !== "getSignatureStatuses" || !isPruned()) return reply;
  const { value, ...rest } = reply.result as { value: unknown[] };
  return { result: { ...rest, value: value.map(() => null) } };
}

/**
 * Starts a host of a local Solana chain. It answers like the node, and lags, lies, stalls and fails on demand. A lag
 * begins with the first question after the fault was set: the host stands still until the chain is far enough ahead.
 *
 * @throws StartupError if the port is in use
 */
export async function startSolHost(options: SolHostOptions): Promise<SolHost> {
  const { node, slotMs, seed = 1, ownMethods = false } = options;
  const strikes = strikesOf(names, seed, () => host.faults);
  const lag = openLag(node, slotMs);

  function truth(question: RpcQuestion): Promise<RpcReply> {
    const { slotsBehind = 0, backwards = 0 } = host.faults;
    if (slotsBehind + backwards === 0) return lag.truth(question);
    return lag.replyTo(question, slotsBehind, strikes("backwards") ? backwardSlots : 0);
  }

  /** Returns the host's own reply to a question that does not reach the chain. */
  async function refusalOf(question: RpcQuestion): Promise<RpcReply | undefined> {
    const { method, params } = question;
    if (strikes("longError")) return longError(question);
    if (strikes("nodeBehind")) return behindBy(host.faults.slotsBehind || backwardSlots);
    if (method === "getGenesisHash" && strikes("otherChain")) return { result: otherGenesisHash };
    if (method === "sendTransaction") {
      if (strikes("blockhashNotFound")) return unknownBlockhash;
      const sent = transactionIn(params);
      if (sent !== undefined && strikes("dropSends")) return { result: sent.signature };
    }
    if (method === "simulateTransaction" && strikes("blockhashNotFound"))
      return simulatedWithoutBlockhash(await newestSlot(node));
    return undefined;
  }

  async function replyTo(question: RpcQuestion): Promise<RpcReply> {
    const { method, params } = question;
    if (ownMethods && method.startsWith("surfnet_")) return replyFrom(() => node.request(method, params));
    const { results = {} } = host.faults;
    if (Object.hasOwn(results, method)) return host.lie(question, { result: results[method] });
    const reply =
      (await refusalOf(question)) ?? withoutHistory(question, await truth(question), () => strikes("pruned"));
    return host.lie(question, reply);
  }

  function refusalOfBatch(size: number): RpcReply | undefined {
    if (size > mostInBatch) return tooManyCalls;
    return size > 1 && strikes("noBatches") ? noBatch : undefined;
  }

  const serve = rpcService((questions) =>
    Promise.all(questions.map((question) => refusalOfBatch(questions.length) ?? replyTo(question))),
  );
  const listener = await listenAs(
    () => host,
    SolHostFaults,
    options,
    async (request) =>
      strikes("rateLimited") ? tooManyRequests() : serveUnlessFixed(strikes, () => serve(request)),
  );
  const host: SolHost = {
    url: listener.url,
    faults: {},
    lie: (_, reply) => reply,
    async close() {
      await listener.close();
      await lag.forget();
    },
  };
  return host;
}
