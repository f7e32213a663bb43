import type { RpcQuestion, RpcReply } from "../rpc-service.ts";
import {
  accountsIn,
  optionsIn,
  type SolNode,
  simulatedWithoutBlockhash,
  slotNotReached,
  unknownBlockhash,
} from "./sol-node.ts";
import type { SolPast } from "./sol-past.ts";
import { messageIn, transactionIn } from "./wire-message.ts";

/** Newest slot of the chain, and the older slot that a lagging host shows. */
export type SolLag = {
  node: SolNode;
  past: Pick<SolPast, "accountsAt" | "blockhashAt">;
  newest: number;
  head: number;
};

/** Methods whose answers are the same in each slot, or whose lag has no effect. */
const timeless = [
  ...["getEpochSchedule", "getGenesisHash", "getHealth", "getIdentity", "getVersion", "requestAirdrop"],
  ...["getBlockTime", "getMinimumBalanceForRentExemption", "getRecentPrioritizationFees"],
];

type InContext<Value> = { context: { slot: number }; value: Value };
type Status = { slot: number };
type Epoch = { absoluteSlot: number; blockHeight: number; slotIndex: number };

/** Replies that the host is this many slots behind. */
export const behindBy = (slots: number): RpcReply => ({
  error: {
    code: -32005,
    message: `Node is behind by ${slots} slots`,
    data: { numSlotsBehind: slots },
  },
});

/** Answers like a host whose newest slot is `head`. Simulations still run on the newest state. */
export async function answerAsOf(lag: SolLag, question: RpcQuestion): Promise<RpcReply> {
  const { node, head } = lag;
  const { minContextSlot = 0 } = optionsIn(question);
  if (minContextSlot > head) return slotNotReached;
  const { method } = question;
  if (timeless.includes(method)) return node.replyTo(question);
  if (method === "sendTransaction" || method === "simulateTransaction") return withTransaction(lag, question);
  const read = readers[method];
  if (read === undefined) return behindBy(lag.newest - head);
  const reply = await node.replyTo(question);
  return "error" in reply ? reply : { result: await read(lag, reply.result as never, question) };
}

const isKnown = ({ node, head }: SolLag, blockhash: string) => (node.issuedIn(blockhash) ?? head + 1) <= head;

async function withTransaction(lag: SolLag, question: RpcQuestion): Promise<RpcReply> {
  const { node, head } = lag;
  const { replaceRecentBlockhash, skipPreflight } = optionsIn(question);
  const sent = transactionIn(question.params);
  const isLost = sent !== undefined && !isKnown(lag, sent.message.lifetimeToken);
  if (question.method === "sendTransaction")
    return isLost && !skipPreflight ? unknownBlockhash : node.replyTo(question);
  if (isLost && !replaceRecentBlockhash) return simulatedWithoutBlockhash(head);
  const reply = await node.replyTo(question);
  return "error" in reply ? reply : { result: labelled(lag, reply.result as InContext<unknown>) };
}

const labelled = <Value>({ head }: SolLag, { context, value }: InContext<Value>) => ({
  context: { ...context, slot: head },
  value,
});

const shiftOf = ({ newest, head }: SolLag) => newest - head;

const height = async (lag: SolLag, truth: number) => Math.max(0, truth - shiftOf(lag));

/** Converts the true answer to each method to that of the lagging host. */
const readers: Readonly<
  Record<string, (lag: SolLag, truth: never, question: RpcQuestion) => Promise<unknown>>
> = {
  // Limits the slot to `head`, because the chain may have made further slots in the meantime.
  getSlot: async (lag, truth: number) => Math.min(lag.head, await height(lag, truth)),
  getBlockHeight: height,
  async getEpochInfo(
    lag,
    { absoluteSlot, blockHeight, slotIndex, ...rest }: Epoch & { slotsInEpoch: number },
  ) {
    const shift = shiftOf(lag);
    return {
      ...rest,
      absoluteSlot: Math.min(lag.head, absoluteSlot - shift),
      blockHeight: Math.max(0, blockHeight - shift),
      slotIndex: Math.max(0, slotIndex - shift),
    };
  },
  getLatestBlockhash: async (lag, truth: InContext<unknown>) =>
    labelled(lag, { ...truth, value: lag.past.blockhashAt(lag.head) }),
  isBlockhashValid: async (lag, truth: InContext<boolean>, { params }) =>
    labelled(lag, { ...truth, value: truth.value && isKnown(lag, String(params[0])) }),
  async getFeeForMessage(lag, truth: InContext<number | null>, { params }) {
    const { lifetimeToken } = messageIn(Buffer.from(String(params[0]), "base64"));
    return labelled(lag, { ...truth, value: isKnown(lag, lifetimeToken) ? truth.value : null });
  },
  getSignatureStatuses: async (lag, truth: InContext<(Status | null)[]>) =>
    labelled(lag, { ...truth, value: truth.value.map((status) => status && statusAt(lag.head, status)) }),
  getSignaturesForAddress: async (lag, truth: { slot: number }[]) =>
    truth.filter(({ slot }) => slot <= lag.head),
  async getTransaction(lag, truth: { slot: number } | null, question) {
    const { commitment } = optionsIn(question);
    const newest = commitment === "processed" ? lag.head : lag.head - 1;
    return truth === null || truth.slot > newest ? null : truth;
  },
  async getAccountInfo(lag, truth: InContext<unknown>, question) {
    const [account] = await lag.past.accountsAt(lag.head, accountsIn(question));
    return labelled(lag, { ...truth, value: account });
  },
  async getBalance(lag, truth: InContext<unknown>, question) {
    const [account] = await lag.past.accountsAt(lag.head, accountsIn(question));
    return labelled(lag, { ...truth, value: (account as { lamports: number } | null)?.lamports ?? 0 });
  },
  getMultipleAccounts: async (lag, truth: InContext<unknown>, question) =>
    labelled(lag, { ...truth, value: await lag.past.accountsAt(lag.head, accountsIn(question)) }),
};

/** Returns the status that a transaction had at an earlier slot, or null if no block contained it by then. */
const statusAt = (head: number, status: Status): Status | null => (status.slot < head ? status : null);
