import { type Ask, askTogether } from "../chains/ask-together.ts";
import { decodeCall } from "../chains/calldata.ts";
import type { ChainConfiguration } from "../chains/chain-configuration.ts";
import { fillOf } from "../chains/fill-logs.ts";
import type { RpcRefusal } from "../chains/host-fault.ts";
import { isSlippage } from "../chains/revert-reason.ts";
import {
  blockByHashCall,
  contractCall,
  type MinedTransaction,
  type RpcCall,
  transactionCall,
  type ValuesOf,
} from "../chains/rpc-call.ts";
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

/** What transactions did, by hash. Undefined if one of them is not the wallet's, or makes no call of trading. */
export async function readReceipts(
  ask: Ask,
  configuration: ChainConfiguration,
  wallet: string,
  found: readonly (FoundReceipt & ReceiptRest)[],
): Promise<Map<string, Receipt> | undefined> {
  const failed = found.filter(({ mined }) => !mined.isOk);
  const replays = failed.length === 0 ? [] : await askTogether(ask, failed.map(replayCalls));
  const receipts = new Map<string, Receipt>();
  for (const each of found) {
    const { hash, mined, block, transaction } = each;
    const call = decodeCall(configuration, transaction, wallet);
    if (call === undefined || transaction.from !== wallet) return undefined;
    const { gasUsed, gasPrice, l1Fee } = mined;
    const common = { hash, block, gasUsed, gasPrice, l1Fee, fee: gasUsed * gasPrice + l1Fee };
    if (!mined.isOk) {
      const outcomes = replays[failed.indexOf(each)] ?? [];
      receipts.set(hash, {
        ...common,
        status: "failed",
        isSlippage: outcomes.some((outcome) => isSlippage(outcome)),
      });
      continue;
    }
    const nothing = { spent: 0n, received: 0n };
    const fill = call.purpose === "swap" ? fillOf(configuration, call, wallet, mined.logs) : nothing;
    receipts.set(hash, { ...common, status: "ok", ...fill });
  }
  return receipts;
}

/**
 * A receipt has no reason of a failure. The same call tells it, before and after the block that has the transaction:
 * others in the block may have moved the price.
 */
function replayCalls({ transaction, block }: ReceiptRest) {
  return [block.number - 1, block.number].map((number) => failureOf(contractCall(transaction, number)));
}

/**
 * Why a call fails. Undefined if it does not, or the host cannot say: most forget the state of blocks after minutes. That
 * must not keep the outcome of the wallet's transactions from being seen.
 */
const failureOf = ({ method, params, read }: RpcCall<unknown>): RpcCall<RpcRefusal | undefined> => ({
  method,
  params,
  read(result) {
    read(result);
    return undefined;
  },
  recover: (refusal) => refusal,
});
