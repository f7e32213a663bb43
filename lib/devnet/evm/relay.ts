import { ratesSchema, strikesOf } from "cdk-local-runner";
import { Transaction } from "ethers/transaction";
import * as v from "valibot";
import { type RpcReply, refusal } from "../rpc-service.ts";
import { listenAs, relayFaults, relayService, type StandInOptions } from "../stand-in.ts";

/** The shares of transactions with a fault. All others are included after a number of blocks. */
const RelayFaults = ratesSchema(relayFaults, {
  delayBlocks: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
});

export type RelayFaults = v.InferOutput<typeof RelayFaults>;

export type Relay = {
  url: string;
  faults: RelayFaults;
  /** True if a transaction waits for a block. */
  hasWaiting(): boolean;
  /** Makes a block with the transactions that are due. Until then, no pool contains them. */
  mine(): Promise<void>;
  close(): Promise<void>;
};

export type RelayOptions = StandInOptions & {
  chainId: number;
  /** Calls anvil. */
  request: (method: string, params?: readonly unknown[]) => Promise<unknown>;
  /** A clock in milliseconds. */
  now?: () => number;
};

/** Flashbots Protect also gives up after five minutes of blocks. */
const patienceBlocks = 25;

/** Time for which a transaction to oneself cancels others with its nonce. */
const cancellableMs = 600_000;

/** A signed transaction. */
type Sent = Transaction & { from: string };

type Waiting = { transaction: Sent; blocks: number; delayBlocks: number };

type Request = RelayOptions["request"];

/**
 * Stands in for Flashbots Protect. It accepts only transactions. It includes one if it is the sender's next and does not
 * revert. A transaction without data to oneself cancels one with its nonce, and is then never included itself.
 *
 * @throws StartupError if the port is in use
 */
export async function startRelay(options: RelayOptions): Promise<Relay> {
  const { chainId, request, seed = 1, now = () => performance.now() } = options;
  const strikes = strikesOf(relayFaults, seed, () => relay.faults);
  /** Transactions by sender and nonce: a later one replaces an earlier one. */
  const waiting = new Map<string, Waiting>();
  /** When the relay took a transaction that can be cancelled, by sender and nonce. */
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

/** True if the next block may include it. */
async function isDue(request: Request, { transaction, blocks, delayBlocks }: Waiting): Promise<boolean> {
  const { from, to, data, value, gasLimit, nonce } = transaction;
  if (nonce !== (await nextNonce(request, from)) || blocks < delayBlocks) return false;
  const call = { from, to, data, value: `0x${value.toString(16)}`, gas: `0x${gasLimit.toString(16)}` };
  return request("eth_call", [call, "latest"]).then(
    () => true,
    () => false,
  );
}

/** Sends the transactions that are due to anvil, and lists their hashes. */
async function sendDue(request: Request, waiting: Iterable<Waiting>): Promise<string[]> {
  const sent: string[] = [];
  for (const held of waiting) {
    if (!(await isDue(request, held))) continue;
    // Anvil refuses a transaction without funds. The next block tries it again.
    await request("eth_sendRawTransaction", [held.transaction.serialized]).then(
      () => sent.push(held.transaction.hash ?? ""),
      () => {},
    );
  }
  return sent;
}

/** Takes transactions that no block contains out of anvil's pool. */
async function dropFailed(request: Request, hashes: readonly string[]): Promise<void> {
  for (const hash of hashes)
    if ((await request("eth_getTransactionReceipt", [hash])) === null)
      await request("anvil_dropTransaction", [hash]);
}

/** Counts a block, after which the relay may give up or another transaction may have the nonce. */
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
