import type { Ask } from "../chains/ask-together.ts";
import type { ChainConfiguration } from "../chains/chain-configuration.ts";
import { decodeCall } from "../chains/evm/calldata.ts";
import { fillOf } from "../chains/evm/fill-logs.ts";
import { isSlippage } from "../chains/evm/revert-reason.ts";
import {
  blockByHashCall,
  contractCall,
  type MinedTransaction,
  transactionCall,
} from "../chains/evm/rpc-call.ts";
import { isHostError, type RpcRefusal } from "../chains/host-fault.ts";
import type { RpcCall, ValuesOf } from "../chains/rpc-call.ts";
import type { Block } from "../core/block.ts";
import type { Receipt } from "../core/evm/host-snapshot.ts";
import type { Call } from "../core/intent.ts";

/** A transaction for which a host has a receipt. */
export type FoundReceipt = { hash: string; mined: MinedTransaction };

type Transaction = ValuesOf<[ReturnType<typeof transactionCall>]>[0];

/** The data needed in addition to a receipt to find the transaction's result. */
export type ReceiptRest = { transaction: Transaction; block: Block };

export const receiptCalls = ({ hash, mined }: FoundReceipt) => ({
  transaction: transactionCall(hash),
  block: blockByHashCall(mined.blockHash),
});

/**
 * Reads the results of transactions, by hash. Undefined if one of them is not the wallet's, or makes no trading call.
 *
 * @param calls The signed calls, by hash. They are used if the configuration has changed and no longer knows the call.
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
    const fill = call.purpose === "swap" ? fillOf(configuration, call, wallet, mined.logs) : nothing;
    receipts.set(hash, { ...common, status: "ok", ...fill });
  }
  return receipts;
}

/**
 * Finds out whether a transaction failed because of its minimum. Receipts give no reason, so the same call is repeated
 * on the state before and after the transaction's block, where others may have moved the price. This takes a request of
 * its own, since a token's revert data must not hide the wallet's transactions. The reason may stay unknown.
 */
async function failedBySlippage(ask: Ask, { transaction, block }: ReceiptRest): Promise<boolean> {
  const calls = [block.number - 1, block.number].map((tag) => failureOf(contractCall(transaction, tag)));
  try {
    return (await ask(calls)).some((outcome) => isSlippage(outcome));
  } catch (error) {
    if (isHostError(error)) return false;
    throw error;
  }
}

/**
 * Finds out why a call fails. Undefined if it succeeds. Hosts that have forgotten the block's state, as most do after
 * minutes, cannot answer.
 */
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
