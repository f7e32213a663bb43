import {
  type Address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransactionMessage,
  createTransactionMessage,
  getCompiledTransactionMessageEncoder,
  isAddress,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from "@solana/web3.js";
import type { Objection } from "../../../orders/effects.ts";
import {
  markerOf,
  programs,
  tokenAccountOf,
  wsolAccountOf,
  wsolMint,
  wsolSeedOf,
} from "../calls/addresses.ts";
import { isRent, isUnitLimit } from "../rules/fees.ts";
import {
  allocateMarker,
  allocateTokenAccount,
  approveDelegate,
  closeToWallet,
  createAssociatedAccount,
  initializeTokenAccount,
  revokeDelegate,
  type SolInstruction,
  setComputeUnitLimit,
  setComputeUnitPrice,
  tipRelay,
  transferLamports,
} from "../venues/instructions.ts";
import { jupiterSwap, objectionToJupiter } from "../venues/jupiter.ts";
import type {
  AttemptTerms,
  MessageTerms,
  OwnAccounts,
  PoolSwapTerms,
  SolPoolVenue,
  SolVenue,
} from "../venues/message-terms.ts";
import { objectionToPump, pumpSwap } from "../venues/pump.ts";
import { cpmmSwap, objectionToCpmm } from "../venues/raydium-cpmm.ts";

/** Maximum size of a transaction on the chain, in bytes. */
const mostTransactionBytes = 1232;

const orderIdPattern = /^[0-7][0-9A-HJKMNP-TV-Z]{25}(\.[1-9]\d?)?$/;
const mostU64 = (1n << 64n) - 1n;

const refused = (reason: string): Objection => ({ refused: reason });

/**
 * Composes the only message that the terms allow: instructions in a fixed order, for one order, paid by one wallet. The
 * message format is version 0.
 *
 * @param tipAccounts The only accounts that may receive a tip.
 */
export async function composeMessage(
  terms: MessageTerms,
  tipAccounts: readonly Address[],
): Promise<{ message: Uint8Array } | Objection> {
  const objection = objectionToTerms(terms, tipAccounts);
  if (objection !== undefined) return objection;
  const composed = await instructionsFor(terms);
  return "refused" in composed || "later" in composed ? composed : compile(terms, composed.instructions);
}

function objectionToTerms(terms: MessageTerms, tipAccounts: readonly Address[]): Objection | undefined {
  if (!addressesIn(terms).every(isAddress)) return refused("an address is not base58 of 32 bytes");
  if (!orderIdPattern.test(terms.orderId))
    return refused("the order's id is neither a ULID nor that of a slice");
  if (amountsIn(terms).some((amount) => amount < 0n || amount > mostU64))
    return refused("an amount is not one of 64 bits");
  const { computeUnitLimit, markerRentLamports } = terms;
  if (!isUnitLimit(computeUnitLimit)) return refused("the limit of compute units is not one of the chain");
  if (!isRent("marker", markerRentLamports)) return refused("the marker's rent is 0, or above its ceiling");
  return terms.purpose === "swap" ? objectionToTrade(terms, tipAccounts) : undefined;
}

function addressesIn(terms: MessageTerms): string[] {
  const common = [terms.wallet, terms.blockhash];
  if (terms.purpose === "clear") return common;
  const { mint, tokenProgram, tip, venue } = terms;
  return [...common, mint, tokenProgram, ...(tip ? [tip.account] : []), ...addressesOf(venue)];
}

function addressesOf(venue: SolVenue): string[] {
  switch (venue.kind) {
    case "cpmm":
      return [venue.pool, venue.config];
    case "jupiter":
      return [venue.helper, ...venue.accounts.map((each) => ("address" in each ? each.address : each.table))];
    default:
      return [venue.pool, venue.table, venue.vault];
  }
}

function amountsIn(terms: MessageTerms): bigint[] {
  const common = [terms.microLamportsPerUnit, terms.markerRentLamports];
  if (terms.purpose === "clear") return common;
  const { amountIn, minAmountOut, tip, venue, wsolRentLamports = 0n } = terms;
  const rest = (venue.kind === "pump" ? venue.rest : undefined) ?? 0n;
  return [
    ...common,
    amountIn,
    minAmountOut,
    rest,
    wsolLamportsOf(terms, wsolRentLamports),
    tip?.lamports ?? 0n,
  ];
}

/** Computes the lamports that an attempt moves to its wrapped-SOL account: the rent and, for a buy, the amount. */
const wsolLamportsOf = ({ side, amountIn }: AttemptTerms, rent: bigint): bigint =>
  rent + (side === "buy" ? amountIn : 0n);

function objectionToTrade(terms: AttemptTerms, tipAccounts: readonly Address[]): Objection | undefined {
  const { mint, tokenProgram, amountIn, minAmountOut, wsolRentLamports, tip, venue } = terms;
  if (amountIn === 0n || minAmountOut === 0n) return refused("the amount or the minimum is 0");
  if (mint === wsolMint) return refused("wrapped SOL is not traded for SOL");
  // Allows only the two token programs, because the program is called with the wallet's signature.
  if (tokenProgram !== programs.token && tokenProgram !== programs.token2022)
    return refused("the token's program is neither Token nor Token-2022");
  if ((wsolRentLamports === undefined) !== (venue.kind === "pump"))
    return refused("only a trade on a curve needs no account of wrapped SOL");
  if (wsolRentLamports !== undefined && !isRent("wsol", wsolRentLamports))
    return refused("the rent of the account of wrapped SOL is 0, or above its ceiling");
  if (tip !== undefined && (tip.lamports === 0n || !tipAccounts.includes(tip.account)))
    return refused("the tip is 0, or for an account that is not configured");
  return undefined;
}

async function instructionsFor(
  terms: MessageTerms,
): Promise<{ instructions: readonly SolInstruction[] } | Objection> {
  const { wallet, orderId, computeUnitLimit, microLamportsPerUnit, markerRentLamports } = terms;
  const marker = await markerOf(wallet, orderId);
  const first = [
    setComputeUnitLimit(computeUnitLimit),
    setComputeUnitPrice(microLamportsPerUnit),
    // Pays the full rent even if a stranger has already paid part of it.
    transferLamports(wallet, marker, markerRentLamports),
    allocateMarker(wallet, marker, orderId),
  ];
  if (terms.purpose === "clear") return { instructions: first };
  const trade = await tradeInstructions(terms, marker);
  return "instructions" in trade ? { instructions: [...first, ...trade.instructions] } : trade;
}

async function tradeInstructions(
  terms: AttemptTerms,
  marker: Address,
): Promise<{ instructions: readonly SolInstruction[] } | Objection> {
  const { wallet, orderId, side, mint, tokenProgram, tip } = terms;
  const wsol = {
    account: await wsolAccountOf(wallet, orderId),
    mint: wsolMint,
    tokenProgram: programs.token,
  };
  const token = { account: await tokenAccountOf(wallet, mint, tokenProgram), mint, tokenProgram };
  const accounts: OwnAccounts =
    side === "buy"
      ? { marker, source: wsol, destination: token }
      : { marker, source: token, destination: wsol };
  const swap = await swapInstructions(terms, accounts);
  if (!("instructions" in swap)) return swap;
  const { wsolRentLamports: rent } = terms;
  const opening = rent !== undefined && [
    transferLamports(wallet, wsol.account, wsolLamportsOf(terms, rent)),
    allocateTokenAccount(wallet, wsol.account, wsolSeedOf(orderId)),
    initializeTokenAccount(wsol.account, wsolMint, wallet),
  ];
  return {
    instructions: [
      ...(tip ? [(tip.isPlain ? transferLamports : tipRelay)(wallet, tip.account, tip.lamports)] : []),
      ...(opening || []),
      // Included even if the account exists, because the instruction fails if the account's owner has changed.
      ...(side === "buy" ? [createAssociatedAccount(wallet, token.account, mint, tokenProgram)] : []),
      ...swap.instructions,
      ...(opening ? [closeToWallet(wsol.account, wallet)] : []),
    ],
  };
}

/** Makes the swap of a pool whose instruction the wallet itself signs. */
export const poolSwap = (
  terms: PoolSwapTerms,
  venue: SolPoolVenue,
  accounts: Omit<OwnAccounts, "marker">,
): Promise<SolInstruction> =>
  venue.kind === "cpmm" ? cpmmSwap(terms, venue, accounts) : pumpSwap(terms, venue, accounts);

async function swapInstructions(
  terms: AttemptTerms,
  accounts: OwnAccounts,
): Promise<{ instructions: readonly SolInstruction[] } | Objection> {
  const { wallet, amountIn, venue } = terms;
  const { source } = accounts;
  switch (venue.kind) {
    case "cpmm":
      return (
        objectionToCpmm(terms, venue, accounts) ?? { instructions: [await cpmmSwap(terms, venue, accounts)] }
      );
    case "jupiter":
      return (
        objectionToJupiter(terms, venue, accounts) ?? {
          instructions: [
            approveDelegate(source, wallet, venue.helper, amountIn, venue.sourceDecimals),
            jupiterSwap(venue),
            revokeDelegate(source.account, wallet, source.tokenProgram),
          ],
        }
      );
    default:
      return (
        (await objectionToPump(terms, venue, accounts)) ?? {
          instructions: [await pumpSwap(terms, venue, accounts)],
        }
      );
  }
}

function compile(
  terms: MessageTerms,
  instructions: readonly SolInstruction[],
): { message: Uint8Array } | Objection {
  let message: Uint8Array;
  try {
    message = compiledMessage(terms.wallet, terms.blockhash, instructions);
  } catch {
    // Jupiter may name contradictory accounts, such as a writable program.
    return refused("the instructions fit into no message");
  }
  return 1 + 64 * signaturesOf(terms) + message.length > mostTransactionBytes
    ? refused("the transaction is larger than the chain allows")
    : { message };
}

/** Compiles instructions into a message with one payer. The signer signs only messages from {@link composeMessage}. */
export function compiledMessage(
  payer: Address,
  blockhash: string,
  instructions: readonly SolInstruction[],
): Uint8Array {
  const lifetime = { blockhash: blockhash as Blockhash, lastValidBlockHeight: 0n };
  const compiled = compileTransactionMessage(
    pipe(
      createTransactionMessage({ version: 0 }),
      (empty) => setTransactionMessageFeePayer(payer, empty),
      (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
      (mortal) => appendTransactionMessageInstructions(instructions, mortal),
    ),
  );
  return Uint8Array.from(getCompiledTransactionMessageEncoder().encode(compiled));
}

/** Counts the signatures: the wallet's and, if there is one, that of Jupiter's helper key. */
const signaturesOf = (terms: MessageTerms): number =>
  terms.purpose === "swap" && terms.venue.kind === "jupiter" ? 2 : 1;
