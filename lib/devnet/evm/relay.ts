import { ratesSchema, strikesOf } from "cdk-local-runner";
import { Transaction } from "ethers/transaction";
import * as v from "valibot";
import { type RpcReply, refusal } from "../rpc-service.ts";
import { listenAs, relayFaults, relayService, type StandInOptions } from "../stand-in.ts";

/** Share of transactions that meet each fault. All other transactions are included after a number of blocks. */
const RelayFaults = ratesSchema(relayFaults, {
  delayBlocks: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
});

export type RelayFaults = v.InferOutput<typeof RelayFaults>;

export type Relay = {
  url: string;
  faults: RelayFaults;
  /** True if a transaction is waiting for a block. */
  hasWaiting(): boolean;
  /** Makes a block with the transactions that are due. Before they are due, they are in no pool. */
  mine(): Promise<void>;
  close(): Promise<void>;
};

export type RelayOptions = StandInOptions & {
  chainId: number;
  /** Calls anvil. */
  request: (method: string, params?: readonly unknown[]) => Promise<unknown>;
  /** Returns the time in milliseconds. */
  now?: () => number;
};

/** Blocks after which the relay gives up. Like Flashbots Protect, it does so after five minutes of real blocks. */
const patienceBlocks = 25;

/** For this many milliseconds, an account can cancel a transaction by sending one to itself with the same nonce. */
const cancellableMs = 600_000;

/** A signed transaction and its sender. */
type Sent = Transaction & { from: string };

type Waiting = { transaction: Sent; blocks: number; delayBlocks: number };

type Request = RelayOptions["request"];

/**
 * Imitates Flashbots Protect. Accepts only transactions. Includes a transaction if its nonce is the sender's next and
 * it does not revert. An empty transaction to oneself cancels the one with the same nonce, and is then never included
 * itself.
 *
 * @throws StartupError if the port is in use
 */
export async function startRelay(options: RelayOptions): Promise<Relay> {
  const { chainId, request, seed = 1, now = () => performance.now() } = options;
  const strikes = strikesOf(relayFaults, seed, () => relay.faults);
  /** Transactions by sender and nonce. A later transaction replaces an earlier one. */
  const waiting = new Map<string, Waiting>();
  /**
   * Times at which the relay received transactions, by sender and nonce. The relay allows their cancellation only for a
   * while.
   */
  const takenMs = new Map<string, number>();

  function take(raw: unknown): RpcReply | "nothing" {
    const transaction = parsed(raw);
    if (transaction === undefined) return refusal(-32602, "invalid transaction");
    if (Number(transaction.chainId) !== chainId) return refusal(-32000, "invalid chain id");
    if (strikes("refused")) return refusal(-32000, "request rejected");
    const isStalled = strikes("stalled");
    if (isCancellation(transaction)) waiting.delete(keyOf(transaction));
    else hold(transaction, !isStalled && !strikes("lost"));
    return isStalled || strikes("silent") ? "nothing" : { result: transaction.hash };
  }

  function isCancellation(transaction: Sent): boolean {
    const { from, to, data } = transaction;
    const sinceMs = takenMs.get(keyOf(transaction)) ?? -Infinity;
    return to === from && data === "0x" && now() - sinceMs < cancellableMs;
  }

  function hold(transaction: Sent, isIncluded: boolean): void {
    takenMs.set(keyOf(transaction), now());
    const { delayBlocks = 0 } = relay.faults;
    if (isIncluded) waiting.set(keyOf(transaction), { transaction, blocks: 0, delayBlocks });
  }

  async function mine(): Promise<void> {
    const sent = await sendDue(request, waiting.values());
    await request("evm_mine");
    await dropFailed(request, sent);
    for (const [key, held] of waiting) if (await isOver(request, held)) waiting.delete(key);
  }

  const serve = relayService("eth_sendRawTransaction", ([raw]) => take(raw));
  const listener = await listenAs(() => relay, RelayFaults, options, serve);
  const relay: Relay = {
    url: listener.url,
    faults: {},
    hasWaiting: () => waiting.size > 0,
    mine,
    close: listener.close,
  };
  return relay;
}

const keyOf = ({ from, nonce }: Sent) => `${from} ${nonce}`;

const nextNonce = async (request: Request, from: string) =>
  Number(await request("eth_getTransactionCount", [from, "latest"]));

/** True if the next block may include the transaction. */
async function isDue(request: Request, { transaction, blocks, delayBlocks }: Waiting): Promise<boolean> {
  const { from, to, data, value, gasLimit, nonce } = transaction;
  if (nonce !== (await nextNonce(request, from)) || blocks < delayBlocks) return false;
  const call = { from, to, data, value: `0x${value.toString(16)}`, gas: `0x${gasLimit.toString(16)}` };
  return request("eth_call", [call, "latest"]).then(
    () => true,
    () => false,
  );
}

/** Sends all due transactions to anvil and lists their hashes. */
async function sendDue(request: Request, waiting: Iterable<Waiting>): Promise<string[]> {
  const sent: string[] = [];
  for (const held of waiting) {
    if (!(await isDue(request, held))) continue;
    // Ignores anvil's rejection of a transaction without enough funds. The next block tries again.
    await request("eth_sendRawTransaction", [held.transaction.serialized]).then(
      () => sent.push(held.transaction.hash ?? ""),
      () => {},
    );
  }
  return sent;
}

/** Removes transactions from anvil's pool if no block contains them. */
async function dropFailed(request: Request, hashes: readonly string[]): Promise<void> {
  for (const hash of hashes)
    if ((await request("eth_getTransactionReceipt", [hash])) === null)
      await request("anvil_dropTransaction", [hash]);
}

/** Counts a block. Returns true if the relay gives up on the transaction, or another transaction has used its nonce. */
const isOver = async (request: Request, held: Waiting): Promise<boolean> =>
  ++held.blocks >= patienceBlocks ||
  (await nextNonce(request, held.transaction.from)) > held.transaction.nonce;

function parsed(raw: unknown): Sent | undefined {
  try {
    const transaction = Transaction.from(raw as string);
    return transaction.isSigned() ? transaction : undefined;
  } catch {
    return undefined;
  }
}
