import type { Block } from "../../../orders/block.ts";
import type { Ask } from "../../hosts/ask-together.ts";
import { isHostError, type RpcRefusal } from "../../hosts/host-fault.ts";
import type { RpcCall, ValuesOf } from "../../hosts/rpc-call.ts";
import { fillOf } from "../calls/fill-logs.ts";
import { isSlippage } from "../calls/revert-reason.ts";
import { blockByHashCall, contractCall, type MinedTransaction, transactionCall } from "../calls/rpc-call.ts";
import type { EvmConfiguration } from "../rules/configuration.ts";
import type { EvmReceipt } from "../rules/host-snapshot.ts";
import type { EvmCall } from "../rules/intent.ts";
import { decodeCall } from "../venues/calldata.ts";
import { movedTokens } from "./moved-tokens.ts";

/** A transaction for which a host has a receipt. */
export type FoundReceipt = { hash: string; mined: MinedTransaction };

type Transaction = ValuesOf<[ReturnType<typeof transactionCall>]>[0];

/** The data needed in addition to a receipt to determine the transaction's result. */
export type ReceiptRest = { transaction: Transaction; block: Block };

/** Returns the transactions that have a receipt, in the order of their hashes. */
export const foundAmong = (
  hashes: readonly string[],
  mined: readonly (MinedTransaction | undefined)[],
): FoundReceipt[] =>
  mined.flatMap((each, index) =>
    each === undefined ? [] : [{ mined: each, hash: hashes[index] as string }],
  );

export const receiptCalls = ({ hash, mined }: FoundReceipt) => ({
  transaction: transactionCall(hash),
  block: blockByHashCall(mined.blockHash),
});

/** Results that earlier runs read for the wallet's transactions. */
export type KnownCalls = {
  /**
   * The signed calls, by hash. Needed if the configuration has changed since signing and no longer recognizes a call.
   */
  calls?: ReadonlyMap<string, EvmCall> | undefined;
  /** Maps the transaction hash of each swap whose amounts two hosts agreed on to its block. */
  agreed?: ReadonlyMap<string, string> | undefined;
};

/**
 * Reads the results of transactions, by hash. Undefined if one of them was not sent by the wallet, or is not a trading
 * call.
 */
export async function readReceipts(
  ask: Ask,
  configuration: EvmConfiguration,
  wallet: string,
  found: readonly (FoundReceipt & ReceiptRest)[],
  { calls, agreed }: KnownCalls = {},
): Promise<Map<string, EvmReceipt> | undefined> {
  const called = found.map(({ hash, transaction }) => {
    const call = decodeCall(configuration, transaction, wallet) ?? calls?.get(hash);
    return transaction.from === wallet ? call : undefined;
  });
  if (called.includes(undefined)) return undefined;
  const own = found.map(({ hash, mined }, index) => {
    const call = called[index];
    return { hash, mined, logs: mined.logs, swap: call?.purpose === "swap" ? call : undefined };
  });
  const [areSlippages, moved] = await Promise.all([
    Promise.all(found.map((each) => !each.mined.isOk && failedBySlippage(ask, each))),
    movedTokens(ask, configuration, wallet, own, ({ hash, mined }) => agreed?.get(hash) === mined.blockHash),
  ]);
  return new Map(
    found.map(({ hash, mined, block }, index): [string, EvmReceipt] => {
      const { gasUsed, gasPrice, l1Fee } = mined;
      const common = { hash, block, gasUsed, gasPrice, l1Fee, fee: gasUsed * gasPrice + l1Fee };
      if (!mined.isOk)
        return [hash, { ...common, status: "failed", isSlippage: areSlippages[index] ?? false }];
      const swap = own[index]?.swap;
      const fill = swap ? fillOf(configuration, swap, wallet, mined.logs) : { spent: 0n, received: 0n };
      const units = moved.get(hash);
      return [hash, { ...common, status: "ok", ...fill, ...(units !== undefined && { moved: units }) }];
    }),
  );
}

/**
 * Determines whether a transaction failed because less than its minimum would have arrived. Receipts give no reason, so
 * the same call is repeated on the state before and after the transaction's block, because other transactions in the
 * block may have moved the price. This needs a request of its own, because a token's long revert data must not hide the
 * wallet's transactions. The reason may remain unknown.
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
 * Determines why a call fails. Undefined if it succeeds. Most hosts discard a block's state after minutes and then
 * cannot answer.
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
