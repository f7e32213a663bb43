import { type Address, getCompiledTransactionMessageDecoder } from "@solana/web3.js";
import bs58 from "bs58";
import type { Lamports, TokenUnits } from "../../../core/units.ts";
import { greatest } from "../../../orders/bigints.ts";
import { markerOf, tokenAccountOf, wsolAccountOf } from "../calls/addresses.ts";
import { cpmmProgram, cpmmSlippageCode } from "../calls/cpmm-addresses.ts";
import type { LandedTransaction, TokenBalance } from "../calls/transaction-call.ts";
import { blockOfSlot, type ReadReceipt } from "../rules/host-snapshot.ts";
import { jupiterProgram, jupiterSlippageCode } from "../venues/jupiter.ts";
import type { MessageTerms } from "../venues/message-terms.ts";
import { readTransaction } from "./signed-message.ts";

/** Exchanges' error codes when the output is below the minimum. */
const slippageCodes: Readonly<Record<string, number>> = {
  [cpmmProgram]: cpmmSlippageCode,
  [jupiterProgram]: jupiterSlippageCode,
};

/**
 * Reads the result of a wallet's transaction. What the wallet spent and received is the change of all its own accounts
 * together, so that coins that others have sent to these accounts do not count as a payment. Undefined if the host
 * shows a different transaction, a transaction that is not ours, or an impossible result.
 */
export async function readReceipt(
  wallet: string,
  hash: string,
  landed: LandedTransaction,
): Promise<ReadReceipt | undefined> {
  const accounts = accountsIn(landed.bytes);
  if (accounts === undefined) return undefined;
  if (bs58.encode(landed.bytes.subarray(1, 65)) !== hash || accounts.length > landed.lamports.after.length)
    return undefined;
  // Needs no check of the tip account, because every signed transaction has already passed it.
  const terms = await readTransaction(landed.bytes, accounts);
  if (terms === undefined || terms.wallet !== wallet) return undefined;
  const own = await ownAccounts(terms);
  const change = (address: Address | undefined) => changeOf(accounts, address, landed);
  const tip = terms.purpose === "swap" && landed.failure === undefined ? (terms.tip?.lamports ?? 0n) : 0n;
  const rent = change(own.marker) + change(own.token);
  const common = {
    hash,
    block: { ...blockOfSlot(landed.slot), time: landed.time },
    fee: landed.fee + tip,
    tip,
    rent,
    ...(landed.computeUnits !== undefined && { computeUnits: landed.computeUnits }),
  };
  if (landed.failure !== undefined)
    return { ...common, status: "failed", isSlippage: isSlippage(landed, accounts) };
  const base = { ...common, status: "ok" } as const;
  if (terms.purpose === "clear") return { ...base, spent: 0n, received: 0n, held: 0n };
  const coins = change(terms.wallet) + change(own.wsol) + rent + common.fee;
  const [held, left] = [landed.tokens.before, landed.tokens.after].map((balances) =>
    unitsOf(accounts, own.token, balances),
  ) as [bigint, bigint];
  const [spent, received] = terms.side === "buy" ? [-coins, left - held] : [held - left, coins];
  // The chain limits what is spent, and the pool what is received. A host that reports anything else is wrong.
  const isBelowMinimum = received < terms.minAmountOut;
  if (spent > terms.amountIn || (isBelowMinimum && terms.venue.kind !== "jupiter")) return undefined;
  return {
    ...base,
    spent: greatest(spent, 0n),
    received: greatest(received, 0n),
    held,
    ...(isBelowMinimum && { isBelowMinimum }),
  };
}

/** Returns the accounts that a message itself names. Undefined if the host shows different bytes. */
function accountsIn(bytes: Uint8Array): readonly Address[] | undefined {
  try {
    return getCompiledTransactionMessageDecoder().decode(messageIn(bytes)).staticAccounts;
  } catch {
    return undefined;
  }
}

const messageIn = (bytes: Uint8Array): Uint8Array => bytes.subarray(1 + 64 * (bytes[0] ?? 0));

type Own = { marker: Address; wsol?: Address; token?: Address };

async function ownAccounts(terms: MessageTerms): Promise<Own> {
  const { wallet, orderId } = terms;
  const marker = await markerOf(wallet, orderId);
  if (terms.purpose === "clear") return { marker };
  return {
    marker,
    wsol: await wsolAccountOf(wallet, orderId),
    token: await tokenAccountOf(wallet, terms.mint, terms.tokenProgram),
  };
}

/** Computes how many lamports an account has gained. */
function changeOf(
  accounts: readonly Address[],
  address: Address | undefined,
  { lamports: { before, after } }: LandedTransaction,
): Lamports {
  const index = address === undefined ? -1 : accounts.indexOf(address);
  return (after[index] ?? 0n) - (before[index] ?? 0n);
}

const unitsOf = (
  accounts: readonly Address[],
  address: Address | undefined,
  balances: readonly TokenBalance[],
): TokenUnits => balances.find(({ account }) => accounts[account] === address)?.units ?? 0n;

function isSlippage({ bytes, failure }: LandedTransaction, accounts: readonly Address[]): boolean {
  if (failure === undefined || failure === "other" || failure.code === undefined) return false;
  const { instructions } = getCompiledTransactionMessageDecoder().decode(messageIn(bytes));
  const program = accounts[instructions[failure.index]?.programAddressIndex ?? -1];
  return program !== undefined && slippageCodes[program] === failure.code;
}
