import { type Address, getCompiledTransactionMessageDecoder } from "@solana/web3.js";
import bs58 from "bs58";
import type { Lamports, TokenUnits } from "../../../core/units.ts";
import { greatest, least } from "../../../orders/bigints.ts";
import { markerOf, programs, tokenAccountOf, wsolAccountOf, wsolMint } from "../calls/addresses.ts";
import { cpmmProgram, cpmmSlippageCode } from "../calls/cpmm-addresses.ts";
import type { OpenedAccount } from "../calls/pool-view.ts";
import {
  coinAccount,
  pumpPrograms,
  pumpSlippageCodes,
  pumpVolumeOfUser,
  volumeAccount,
} from "../calls/pump-addresses.ts";
import type { LandedTransaction, TokenBalance } from "../calls/transaction-call.ts";
import { rentLike } from "../rules/fees.ts";
import { blockOfSlot, type ReadReceipt } from "../rules/host-snapshot.ts";
import { jupiterProgram, jupiterSlippageCode } from "../venues/jupiter.ts";
import type { AttemptTerms, MessageTerms } from "../venues/message-terms.ts";
import { readTransaction } from "./signed-message.ts";

/** Exchanges' error codes when the output is below the minimum. */
const slippageCodes: Readonly<Record<string, readonly number[]>> = {
  [cpmmProgram]: [cpmmSlippageCode],
  [jupiterProgram]: [jupiterSlippageCode],
  [pumpPrograms.curve]: pumpSlippageCodes.curve,
  [pumpPrograms.pool]: pumpSlippageCodes.pool,
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
  // A transaction whose payer could not pay has changed no balances, and hosts may leave them out.
  const isComplete = landed.failure === "unfunded" || accounts.length <= landed.lamports.after.length;
  if (bs58.encode(landed.bytes.subarray(1, 65)) !== hash || !isComplete) return undefined;
  // Needs no check of the tip account, because every signed transaction has already passed it.
  const terms = await readTransaction(landed.bytes, accounts);
  if (terms === undefined || terms.wallet !== wallet) return undefined;
  const own = await ownAccounts(terms);
  const change = (address: Address | undefined) => changeOf(accounts, address, landed);
  const tip = terms.purpose === "swap" && landed.failure === undefined ? (terms.tip?.lamports ?? 0n) : 0n;
  const { markerRentLamports } = terms;
  const opened = own.market.reduce(
    (sum, each) => sum + rentPaid(accounts, each, landed, markerRentLamports),
    0n,
  );
  const rent = change(own.marker) + change(own.token) + opened;
  const common = {
    hash,
    block: { ...blockOfSlot(landed.slot), time: landed.time },
    fee: landed.fee + tip,
    tip,
    rent,
    ...(landed.computeUnits !== undefined && { computeUnits: landed.computeUnits }),
  };
  if (landed.failure !== undefined)
    return {
      ...common,
      status: "failed",
      isSlippage: isSlippage(landed, accounts),
      ...(landed.failure === "unfunded" && { isUnfunded: true }),
    };
  const base = { ...common, status: "ok" } as const;
  if (terms.purpose === "clear") return { ...base, spent: 0n, received: 0n, held: 0n };
  const coins = change(terms.wallet) + change(own.wsol) + rent + common.fee;
  const [held, left] = [landed.tokens.before, landed.tokens.after].map((balances) =>
    unitsOf(accounts, own.token, balances),
  ) as [bigint, bigint];
  const [taken, arrived] = terms.side === "buy" ? [-coins, left - held] : [held - left, coins];
  const topUp = mostTopUp(terms, accounts, landed);
  // The chain limits what is spent, and the pool what is received. A host that reports anything else is wrong.
  const [excess, shortfall] = [taken - terms.amountIn, terms.minAmountOut - arrived];
  const ofVault = least(greatest(terms.side === "buy" ? excess : shortfall, 0n), topUp);
  const [spent, received] = terms.side === "buy" ? [taken - ofVault, arrived] : [taken, arrived + ofVault];
  const isBelowMinimum = received < terms.minAmountOut;
  if (spent > terms.amountIn || (isBelowMinimum && !mayBeBelow(terms.venue))) return undefined;
  return {
    ...base,
    rent: rent + ofVault,
    spent: greatest(spent, 0n),
    received: greatest(received, 0n),
    held,
    ...(isBelowMinimum && { isBelowMinimum }),
  };
}

/**
 * True if a fill below the message's minimum is plausible. A message that takes the rest of a curve names no minimum of
 * its own, and Pump may pay out less where another trade takes a part of the rest.
 */
const mayBeBelow = (venue: AttemptTerms["venue"]): boolean =>
  venue.kind === "jupiter" || (venue.kind === "pump" && venue.rest !== undefined);

/** Returns the accounts that a message itself names. Undefined if the host shows different bytes. */
function accountsIn(bytes: Uint8Array): readonly Address[] | undefined {
  try {
    return getCompiledTransactionMessageDecoder().decode(messageIn(bytes)).staticAccounts;
  } catch {
    return undefined;
  }
}

const messageIn = (bytes: Uint8Array): Uint8Array => bytes.subarray(1 + 64 * (bytes[0] ?? 0));

type Own = { marker: Address; wsol?: Address; token?: Address; market: readonly OpenedAccount[] };

async function ownAccounts(terms: MessageTerms): Promise<Own> {
  const { wallet, orderId } = terms;
  const marker = await markerOf(wallet, orderId);
  if (terms.purpose === "clear") return { marker, market: [] };
  return {
    marker,
    wsol: await wsolAccountOf(wallet, orderId),
    token: await tokenAccountOf(wallet, terms.mint, terms.tokenProgram),
    market: await accountsOpenedIn(terms),
  };
}

/** Lists accounts of an exchange that a trade may open at the wallet's cost. */
async function accountsOpenedIn({ wallet, venue }: AttemptTerms): Promise<readonly OpenedAccount[]> {
  if (venue.kind !== "pump" && venue.kind !== "pumpswap") return [];
  const volume = await pumpVolumeOfUser(venue.kind === "pump" ? "curve" : "pool", wallet);
  const owners = venue.kind === "pump" ? [] : [venue.vault, volume];
  const ofCoins = await Promise.all(owners.map((each) => tokenAccountOf(each, wsolMint, programs.token)));
  return [volumeAccount(volume), ...ofCoins.map(coinAccount)];
}

/**
 * Computes what a transaction has paid for the rent of an account, without the coins that it has wrapped there. Anybody
 * may have paid a part before. Then the trade pays the rest.
 */
function rentPaid(
  accounts: readonly Address[],
  { address, bytes }: OpenedAccount,
  landed: LandedTransaction,
  markerRentLamports: Lamports,
): Lamports {
  const before = landed.lamports.before[accounts.indexOf(address)] ?? 0n;
  const wrapped =
    unitsOf(accounts, address, landed.tokens.after) - unitsOf(accounts, address, landed.tokens.before);
  const paid = changeOf(accounts, address, landed) - wrapped;
  if (before === 0n) return paid;
  return greatest(least(paid, rentLike(markerRentLamports, bytes) - before), 0n);
}

/** The highest rent of an account without data. */
const mostVaultRent = 890_880n;

/**
 * Computes the most lamports with which a trade on a curve fills up the vault of the token's creator, in addition to
 * the trade's amount.
 */
function mostTopUp(
  { venue }: AttemptTerms,
  accounts: readonly Address[],
  landed: LandedTransaction,
): Lamports {
  if (venue.kind !== "pump") return 0n;
  return greatest(mostVaultRent - (landed.lamports.before[accounts.indexOf(venue.vault)] ?? 0n), 0n);
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
  if (typeof failure !== "object" || failure.code === undefined) return false;
  const { instructions } = getCompiledTransactionMessageDecoder().decode(messageIn(bytes));
  const program = accounts[instructions[failure.index]?.programAddressIndex ?? -1];
  return program !== undefined && slippageCodes[program]?.includes(failure.code) === true;
}
