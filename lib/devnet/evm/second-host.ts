import { ratesSchema, strikesOf } from "cdk-local-runner";
import * as v from "valibot";
import { fixedAnswerNames, serveUnlessFixed } from "../fixed-answers.ts";
import {
  batchLimits,
  batchRefusal,
  longError,
  missingSimulation,
  refusedSend,
  sendRefusalNames,
  waysToMissSimulation,
} from "../host-refusals.ts";
import { askRpc, type RpcQuestion, type RpcReply, rpcService } from "../rpc-service.ts";
import { listenAs, type StandInOptions } from "../stand-in.ts";
import { finalAfterBlocks, usualTimes } from "./chain-times.ts";
import { createHeads, type Heads } from "./heads.ts";
import { type AsOf, asOf, headerNotFound } from "./lagging.ts";
import { logRefusals, refusedLogs, waysOfLogs, withOddLogs } from "./odd-logs.ts";

const names = [
  ...fixedAnswerNames,
  ...sendRefusalNames,
  "headerNotFound",
  "longError",
  "otherChain",
] as const;

const Count = v.pipe(v.number(), v.integer(), v.minValue(0));

/**
 * Shares of requests, questions or transactions that meet each failure. All other settings apply to every request: the
 * host is `blocksBehind` or `lagMs` behind the chain, has limits, allows a call at most `mostGas`, and gives the fixed
 * `results` of some methods. While a host says `isHalted`, its chain makes no blocks.
 */
const HostFaults = ratesSchema(names, {
  blocksBehind: v.optional(Count),
  lagMs: v.optional(Count),
  keptStates: v.optional(Count),
  mostGas: v.optional(Count),
  batchLimit: v.optional(v.picklist(batchLimits)),
  simulation: v.optional(v.picklist(waysToMissSimulation)),
  /** Suggests no tip and reports none in blocks, like hosts of bsc, whose blocks contain free transactions. */
  zeroTips: v.optional(v.boolean()),
  /** Lists base fees of past blocks only, like old nodes of avax: N entries instead of N + 1. */
  shortFeeHistory: v.optional(v.boolean()),
  logs: v.optional(v.picklist(waysOfLogs)),
  refusesLogs: v.optional(v.picklist(logRefusals)),
  logBlocks: v.optional(Count),
  logAddresses: v.optional(Count),
  mostLogs: v.optional(Count),
  isHalted: v.optional(v.boolean()),
  results: v.optional(v.record(v.string(), v.unknown())),
});

export type HostFaults = v.InferOutput<typeof HostFaults>;

export type SecondHost = {
  url: string;
  faults: HostFaults;
  /** Changes replies, for wrong answers that depend on the question. */
  lie: (question: RpcQuestion, reply: RpcReply) => RpcReply;
  close(): Promise<void>;
};

export type SecondHostOptions = StandInOptions & {
  /** URL of anvil. */
  chainUrl: string;
  /** Number of blocks that must follow a block to make it final. */
  finalAfter?: number;
  /**
   * Times at which the chain reached its heights. By default, the host learns of a block when it receives a request.
   */
  heads?: Heads;
  /** Called when a request needs new blocks, because it names a pending transaction or the final block. */
  onWaiting?: () => void;
};

/** Matches anvil's own methods, which hosts of real chains lack. */
const ownMethod = /^(?:anvil|evm|hardhat)_/;

const unknownMethod: RpcReply = { error: { code: -32601, message: "the method does not exist" } };

/** Lowers the gas of a call to the host's limit without reporting an error, as geth does. */
function withLeastGas(mostGas: number | undefined, question: RpcQuestion): RpcQuestion {
  const [call, ...others] = question.params as [{ gas?: string }?];
  if (mostGas === undefined || question.method !== "eth_call") return question;
  const gas = Math.min(Number(call?.gas ?? mostGas), mostGas);
  return { ...question, params: [{ ...call, gas: `0x${gas.toString(16)}` }, ...others] };
}

function waitsForBlocks({ method, params }: RpcQuestion, reply: RpcReply): boolean {
  if (method === "eth_getBlockByNumber") return params[0] === "finalized";
  const isTransaction = method === "eth_getTransactionReceipt" || method === "eth_getTransactionByHash";
  return isTransaction && "result" in reply && reply.result === null;
}

/** True if the host shows the newest block and every state. */
const isExact = ({ blocksBehind = 0, lagMs = 0, keptStates }: HostFaults): boolean =>
  blocksBehind + lagMs === 0 && keptStates === undefined;

/** Returns the height of the chain according to the host. */
async function height(
  chainUrl: string,
  heads: Heads,
  { blocksBehind = 0, lagMs = 0 }: HostFaults,
): Promise<number> {
  const [reply] = await askRpc(chainUrl, [{ id: 0, method: "eth_blockNumber", params: [] }]);
  const newest = Number((reply as { result: string }).result);
  heads.note(newest);
  return Math.max(0, Math.min(newest - blocksBehind, heads.before(lagMs) ?? newest));
}

/** Returns the host's own refusal of a question, which then never reaches the chain. */
function refusalOf(
  question: RpcQuestion,
  faults: HostFaults,
  strikes: (name: (typeof names)[number]) => boolean,
): RpcReply | undefined {
  if (ownMethod.test(question.method)) return unknownMethod;
  const refused =
    missingSimulation(faults.simulation, question) ??
    refusedSend(question, strikes) ??
    refusedLogs(faults, question);
  return refused ?? (strikes("headerNotFound") ? headerNotFound(question) : undefined);
}

/** Sends the prepared questions to anvil in one request, and adapts its replies. */
async function repliesTo(
  plans: readonly AsOf[],
  chainUrl: string,
  { mostGas }: HostFaults,
): Promise<RpcReply[]> {
  const asked = plans.flatMap((plan) => ("question" in plan ? [plan] : []));
  const replies = await askRpc(
    chainUrl,
    asked.map(({ question }) => withLeastGas(mostGas, question)),
  );
  return plans.map((plan) => {
    if ("reply" in plan) return plan.reply;
    const reply = replies[asked.indexOf(plan)] as RpcReply;
    return plan.read?.(reply) ?? reply;
  });
}

type FeeHistory = { baseFeePerGas: string[]; reward?: string[][] };

/** Changes a host's reply to a question about fees. */
function withOddFees(
  { zeroTips = false, shortFeeHistory = false }: HostFaults,
  { method }: RpcQuestion,
  reply: RpcReply,
): RpcReply {
  if (!("result" in reply)) return reply;
  if (zeroTips && (method === "eth_gasPrice" || method === "eth_maxPriorityFeePerGas"))
    return { result: "0x0" };
  if (method !== "eth_feeHistory") return reply;
  const history = reply.result as FeeHistory;
  return {
    result: {
      ...history,
      ...(zeroTips && { reward: history.reward?.map((tips) => tips.map(() => "0x0")) }),
      ...(shortFeeHistory && { baseFeePerGas: history.baseFeePerGas.slice(0, -1) }),
    },
  };
}

/** Applies faults to fees and logs, unless the method has a fixed result. */
function withOddities(faults: HostFaults, question: RpcQuestion, reply: RpcReply): RpcReply {
  const { method } = question;
  const { results = {} } = faults;
  if (Object.hasOwn(results, method)) return { result: results[method] };
  return withOddLogs(faults, question, withOddFees(faults, question, reply));
}

/** Id that no chain has. */
const otherChainId = "0x539539";

/**
 * Starts a second RPC host of a local chain. It forwards to anvil, and lags, lies, stalls and fails on demand.
 *
 * @throws StartupError if the port is in use
 */
export async function startSecondHost(options: SecondHostOptions): Promise<SecondHost> {
  const { chainUrl, seed = 1, onWaiting = () => {} } = options;
  const { finalAfter = finalAfterBlocks(usualTimes), heads = createHeads() } = options;
  const strikes = strikesOf(names, seed, () => host.faults);

  async function truth(questions: readonly RpcQuestion[]): Promise<RpcReply[]> {
    const { faults } = host;
    const head = isExact(faults) ? undefined : await height(chainUrl, heads, faults);
    const plans = questions.map((question): AsOf => {
      const reply = refusalOf(question, host.faults, strikes);
      if (reply !== undefined) return { reply };
      return head === undefined
        ? { question }
        : asOf({ head, finalAfter, keptStates: faults.keptStates }, question);
    });
    return repliesTo(plans, chainUrl, faults);
  }

  async function answersOf(questions: readonly RpcQuestion[]): Promise<RpcReply[]> {
    if (strikes("longError")) return questions.map(longError);
    const isOtherChain = strikes("otherChain");
    const replies = await truth(questions);
    return questions.map((question, index) => {
      const reply = replies[index] as RpcReply;
      if (waitsForBlocks(question, reply)) onWaiting();
      if (isOtherChain && question.method === "eth_chainId") return { result: otherChainId };
      return host.lie(question, withOddities(host.faults, question, reply));
    });
  }

  const serve = rpcService(answersOf, (questions) => batchRefusal(host.faults.batchLimit, questions));

  const listener = await listenAs(
    () => host,
    HostFaults,
    options,
    (request) => serveUnlessFixed(strikes, () => serve(request)),
  );
  const host: SecondHost = {
    url: listener.url,
    faults: {},
    lie: (_, reply) => reply,
    close: listener.close,
  };
  return host;
}
