import { ChainRefusal } from "../chain-refusal.ts";
import type { RpcQuestion, RpcReply } from "../rpc-service.ts";
import type { Surfnet } from "./surfnet.ts";
import { messageIn, priorityFeeOf, transactionIn } from "./wire-message.ts";

/** A local chain that behaves like a real cluster. All hosts of the chain and its relay use the same object. */
export type SolNode = {
  replyTo(question: RpcQuestion): Promise<RpcReply>;
  /** Makes one call to the chain itself. */
  request: Surfnet["request"];
  /** Returns the slot in which a blockhash was first issued, or undefined if it never was. */
  issuedIn(blockhash: string): number | undefined;
  /** Lists the accounts that recent questions and transactions have named. */
  named(): readonly string[];
};

/**
 * Methods that real hosts lack, and `getBlock`, which would return the fees and times of the local chain instead of a
 * real cluster's.
 */
const hiddenMethod = /^(?:surfnet_.*|getBlock)$/;

const unknownMethod: RpcReply = { error: { code: -32601, message: "Method not found" } };
const invalidTransaction: RpcReply = { error: { code: -32602, message: "invalid transaction" } };

const failedSimulation = (reason: string, err: string): RpcReply => ({
  error: {
    code: -32002,
    message: `Transaction simulation failed: ${reason}`,
    data: { accounts: null, err, logs: [], returnData: null, unitsConsumed: 0 },
  },
});

/** Reply to a transaction whose blockhash the host does not know. Transactions without a preflight never get it. */
export const unknownBlockhash = failedSimulation("Blockhash not found", "BlockhashNotFound");

const alreadyProcessed = failedSimulation("This transaction has already been processed", "AlreadyProcessed");

/** Reply of a host that has not reached the slot that a question requires. */
export const slotNotReached: RpcReply = {
  error: { code: -32016, message: "Minimum context slot has not been reached" },
};

/** Result of simulating a transaction whose blockhash the host does not know. */
export const simulatedWithoutBlockhash = (slot: number): RpcReply => ({
  result: {
    context: { slot },
    value: { accounts: null, err: "BlockhashNotFound", logs: [], returnData: null, unitsConsumed: 0 },
  },
});

/** Genesis hash of the local cluster. */
export const localGenesisHash = "LoCaLcLuster1111111111111111111111111111111";

/** Maximum number of recent accounts to remember. One call of the chain reads them all in a few milliseconds. */
const mostNamed = 500;

type InContext<Value> = { context: { slot: number }; value: Value };
type Status = { confirmationStatus: string; confirmations: number | null };

type Options = {
  commitment?: string;
  minContextSlot?: number;
  replaceRecentBlockhash?: boolean;
  skipPreflight?: boolean;
};

/** Turns a call to the chain into a reply, which may be the chain's refusal. */
export async function replyFrom(call: () => Promise<unknown>): Promise<RpcReply> {
  try {
    return { result: await call() };
  } catch (error) {
    if (!(error instanceof ChainRefusal)) throw error;
    const { code, message, data } = error;
    return { error: { code, message, ...(data !== undefined && { data }) } };
  }
}

/** Finds the options of a call, which are the object among its parameters. */
export const optionsIn = ({ params }: RpcQuestion): Options =>
  (params.find((each) => typeof each === "object" && each !== null && !Array.isArray(each)) as Options) ?? {};

/** Lists the accounts whose state a question requests. */
export const accountsIn = ({ method, params: [first] }: RpcQuestion): readonly string[] =>
  ["getAccountInfo", "getBalance", "getMultipleAccounts"].includes(method)
    ? [first].flat().filter((each) => typeof each === "string")
    : [];

/** Answers questions as real clusters do. {@link createSolNode} lists the differences. */
function mendedAnswers(request: Surfnet["request"]) {
  /** Slot in which each blockhash was first issued. */
  const issued = new Map<string, number>();

  /** Treats confirmed blocks as final, because the chain calls a block final only 31 slots later. */
  const reached = (commitment: string | undefined) => [
    { commitment: commitment === "processed" ? "processed" : "confirmed" },
  ];

  /** Time of each slot that an answer has named, in seconds. */
  const times = new Map<number, number>();

  function settledTime(slot: number, time: number): number {
    const settled = times.get(slot) ?? time;
    times.set(slot, settled);
    return settled;
  }

  const timeOf = async (slot: number) =>
    times.get(slot) ?? settledTime(slot, (await request("getBlockTime", [slot])) as number);

  const slotAt = async (commitment?: string) => (await request("getSlot", reached(commitment))) as number;

  async function isValid(blockhash: string): Promise<boolean> {
    const { value } = (await request("isBlockhashValid", [blockhash])) as InContext<boolean>;
    return value && issued.has(blockhash);
  }

  async function answer(question: RpcQuestion): Promise<unknown> {
    const { method, params } = question;
    switch (method) {
      case "getLatestBlockhash": {
        const latest = (await request(method, params)) as InContext<{ blockhash: string }>;
        const { blockhash } = latest.value;
        issued.set(blockhash, issued.get(blockhash) ?? latest.context.slot);
        return latest;
      }
      case "isBlockhashValid": {
        const valid = (await request(method, params)) as InContext<boolean>;
        return { ...valid, value: await isValid(String(params[0])) };
      }
      case "getFeeForMessage": {
        const fee = (await request(method, params)) as InContext<number | null>;
        const message = messageIn(Buffer.from(String(params[0]), "base64"));
        const isKnown = fee.value !== null && (await isValid(message.lifetimeToken));
        return { ...fee, value: isKnown ? (fee.value ?? 0) + priorityFeeOf(message) : null };
      }
      case "getSlot":
      case "getBlockHeight":
        return request(method, reached(optionsIn(question).commitment));
      case "getSignatureStatuses": {
        const { value, ...rest } = (await request(method, params)) as InContext<(Status | null)[]>;
        return { ...rest, value: value.map((status) => status && finalStatus(status)) };
      }
      case "getEpochInfo": {
        const { commitment } = optionsIn(question);
        const [newest, absoluteSlot, blockHeight] = await Promise.all([
          request(method, params) as Promise<object>,
          slotAt(commitment),
          request("getBlockHeight", reached(commitment)),
        ]);
        return { ...newest, absoluteSlot, blockHeight };
      }
      case "getRecentPrioritizationFees":
        // Takes a percentile, as some providers' hosts do. The chain refuses a second parameter.
        return request(method, params.slice(0, 1));
      case "getGenesisHash":
        return localGenesisHash;
      case "getSignaturesForAddress": {
        const listed = (await request(method, params)) as Listed[];
        return listed.map((each) => ({ ...each, blockTime: settledTime(each.slot, each.blockTime) }));
      }
      case "getTransaction":
        return foundTransaction(question);
      default:
        return request(method, params);
    }
  }

  async function foundTransaction(question: RpcQuestion): Promise<unknown> {
    const { method, params } = question;
    const options = optionsIn(question);
    const found = (await request(method, params)) as Found | null;
    if (found === null || found.slot > (await slotAt(options.commitment))) return null;
    const asBytes = [params[0], { ...options, encoding: "base64" }];
    const { transaction } = (await request(method, asBytes)) as {
      transaction: [string, "base64"];
    };
    const [text, encoding] = transaction;
    const sent = transactionIn([text, { encoding }]);
    const fee = found.meta.fee + (sent === undefined ? 0 : priorityFeeOf(sent.message));
    const blockTime = await timeOf(found.slot);
    return { ...found, blockTime, meta: { ...found.meta, fee } };
  }

  return { answer, slotAt, issued };
}

const finalStatus = (status: Status): Status =>
  status.confirmationStatus === "confirmed"
    ? { ...status, confirmations: null, confirmationStatus: "finalized" }
    : status;

/** Remembers the accounts that were named most recently. */
function namedLately() {
  const named = new Set<string>();
  const name = (addresses: readonly string[]): void => {
    for (const address of addresses) {
      named.delete(address);
      named.add(address);
    }
    for (const address of named) {
      if (named.size <= mostNamed) break;
      named.delete(address);
    }
  };
  return { named, name };
}

/**
 * Makes Surfpool behave like real clusters, from which it differs:
 *
 * - Its fees leave out the priority fee, although it charges it.
 * - Its transactions have times that are a thousand times too small, and appear before the commitment that a call
 * requires.
 * - Its lists of signatures and its other answers may name times of a slot that are a second apart.
 * - Each start issues the same blockhashes again, which would make transactions of an earlier run valid. Here, only
 * blockhashes that a host has issued are valid.
 * - Each start has another genesis hash.
 * - Its epoch is that of the newest slot, whatever commitment a call requires.
 * - Its blocks are final 31 slots later. Here, all blocks but the newest are final, as on clusters with Alpenglow.
 * - It rejects transactions that it already has, and answers questions about future slots.
 *
 * Accounts are still those of the newest slot, whatever commitment a call requires.
 */
export function createSolNode({ request }: Pick<Surfnet, "request">): SolNode {
  const { answer, slotAt, issued } = mendedAnswers(request);
  const { name, named } = namedLately();

  /** Answers questions about a transaction. Returns undefined if the chain must answer. */
  async function replyToTransaction(question: RpcQuestion): Promise<RpcReply | undefined> {
    const { method, params } = question;
    const { replaceRecentBlockhash, skipPreflight } = optionsIn(question);
    const sent = transactionIn(params);
    if (sent === undefined) return invalidTransaction;
    const { signature, message } = sent;
    const isKnown = issued.has(message.lifetimeToken);
    if (method === "simulateTransaction")
      return isKnown || replaceRecentBlockhash
        ? undefined
        : simulatedWithoutBlockhash(await slotAt("processed"));
    name(message.staticAccounts);
    // Without a preflight, hosts reply with the signature, even if the transaction fails later.
    if (!isKnown) return skipPreflight ? { result: signature } : unknownBlockhash;
    const reply = await forward(question);
    if ("result" in reply || !/already been processed/.test(reply.error.message)) return reply;
    return skipPreflight ? { result: signature } : alreadyProcessed;
  }

  const forward = (question: RpcQuestion) => replyFrom(() => answer(question));

  return {
    request,
    issuedIn: (blockhash) => issued.get(blockhash),
    named: () => [...named],
    async replyTo(question) {
      const { method } = question;
      if (hiddenMethod.test(method)) return unknownMethod;
      name(accountsIn(question));
      const { minContextSlot } = optionsIn(question);
      if (minContextSlot !== undefined && minContextSlot > (await slotAt("processed"))) return slotNotReached;
      const isOfTransaction = method === "sendTransaction" || method === "simulateTransaction";
      return (isOfTransaction ? await replyToTransaction(question) : undefined) ?? forward(question);
    },
  };
}

type Listed = { slot: number; blockTime: number };

type Found = { slot: number; meta: { fee: number } };
