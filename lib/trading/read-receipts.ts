import type { Ask } from "../chains/ask-together.ts";
import { decodeCall } from "../chains/calldata.ts";
import type { ChainConfiguration, ChainVenue } from "../chains/chain-configuration.ts";
import { fillOf } from "../chains/fill-logs.ts";
import { HostFault, RpcRefusal } from "../chains/host-fault.ts";
import { isSlippage } from "../chains/revert-reason.ts";
import {
  blockByHashCall,
  contractCall,
  type MinedTransaction,
  type RpcCall,
  transactionCall,
  type ValuesOf,
} from "../chains/rpc-call.ts";
import type { Call } from "../domain/trading/intent.ts";
import type { Block, Receipt } from "../domain/trading/sight.ts";

/** A transaction that a host has a receipt of. */
export type FoundReceipt = { hash: string; mined: MinedTransaction };

type Transaction = ValuesOf<[ReturnType<typeof transactionCall>]>[0];

/** What has to be known beside a receipt, to say what its transaction did. */
export type ReceiptRest = { transaction: Transaction; block: Block };

export const receiptCalls = ({ hash, mined }: FoundReceipt) => ({
  transaction: transactionCall(hash),
  block: blockByHashCall(mined.blockHash),
});

/**
 * What transactions did, by hash. Undefined if one of them is not the wallet's, or makes no call of trading.
 *
 * @param calls What was signed, by hash. It counts if the configuration has changed since and no longer knows the call.
 */
export async function readReceipts(
  ask: Ask,
  configuration: ChainConfiguration,
  wallet: string,
  found: readonly (FoundReceipt & ReceiptRest)[],
  calls?: ReadonlyMap<string, Call>,
): Promise<Map<string, Receipt> | undefined> {
  const areSlippages = await Promise.all(
    found.map((each) => !each.mined.isOk && failedBySlippage(ask, each)),
  );
  const receipts = new Map<string, Receipt>();
  for (const [index, { hash, mined, block, transaction }] of found.entries()) {
    const call = decodeCall(configuration, transaction, wallet) ?? calls?.get(hash);
    if (call === undefined || transaction.from !== wallet) return undefined;
    const { gasUsed, gasPrice, l1Fee } = mined;
    const common = { hash, block, gasUsed, gasPrice, l1Fee, fee: gasUsed * gasPrice + l1Fee };
    if (!mined.isOk) {
      receipts.set(hash, { ...common, status: "failed", isSlippage: areSlippages[index] ?? false });
      continue;
    }
    const nothing = { spent: 0n, received: 0n };
    const venues = routedBy(configuration, call, transaction.to);
    const fill =
      call.purpose === "swap" ? fillOf({ ...configuration, venues }, call, wallet, mined.logs) : nothing;
    receipts.set(hash, { ...common, status: "ok", ...fill });
  }
  return receipts;
}

/** The venue of a call, with the router that its transaction went to. */
const routedBy = (
  { venues }: ChainConfiguration,
  call: Call,
  router: string,
): ChainConfiguration["venues"] =>
  call.purpose === "swap" && !venues.some((each) => each.venue === call.venue && each.router === router)
    ? [{ venue: call.venue, router } as ChainVenue]
    : venues;

/**
 * Whether a transaction failed because of its minimum. A receipt has no reason of a failure, so the same call is repeated on
 * the state before and after the transaction's block: others in the block may have moved the price. That is a request of its
 * own, and the reason may stay unknown: what a strange token reverts with must not hide the wallet's transactions.
 */
async function failedBySlippage(ask: Ask, { transaction, block }: ReceiptRest): Promise<boolean> {
  const calls = [block.number - 1, block.number].map((tag) => failureOf(contractCall(transaction, tag)));
  try {
    return (await ask(calls)).some((outcome) => isSlippage(outcome));
  } catch (error) {
    if (error instanceof HostFault || error instanceof RpcRefusal) return false;
    throw error;
  }
}

/** Why a call fails. Undefined if it does not. Most hosts forget the state of blocks after minutes, and cannot say then. */
const failureOf = ({ method, params, read }: RpcCall<unknown>): RpcCall<RpcRefusal | undefined> => ({
  method,
  params,
  read(result) {
    read(result);
    return undefined;
  },
  recover: (refusal) => refusal,
  mayBeHuge: true,
});
