import { type Address, getCompiledTransactionMessageDecoder } from "@solana/web3.js";
import { programs } from "../calls/addresses.ts";
import { cpmmProgram } from "../calls/cpmm-addresses.ts";
import { pumpPrograms } from "../calls/pump-addresses.ts";
import { jupiterProgram, readJupiter } from "../venues/jupiter.ts";
import type { AttemptTerms, MessageTerms, SolVenue, VenueAccount } from "../venues/message-terms.ts";
import { readPumpSwap } from "../venues/pump.ts";
import { composeMessage } from "./compose-message.ts";

type CompiledMessage = ReturnType<ReturnType<typeof getCompiledTransactionMessageDecoder>["decode"]>;
type CompiledInstruction = CompiledMessage["instructions"][number];

/** An instruction in which account indexes are replaced by the accounts themselves. */
type ReadInstruction = { program: Address; accounts: VenueAccount[]; data: Uint8Array };

/** The parts of an attempt's terms that can be read from its swap. */
type SwapPart = Pick<AttemptTerms, "mint" | "tokenProgram" | "amountIn" | "minAmountOut" | "venue">;
type AttemptTrade = SwapPart & Pick<AttemptTerms, "side" | "wsolRentLamports" | "tip">;

/**
 * Reads the terms of a message, as the inverse of {@link composeMessage}. Undefined unless composing the terms again
 * gives exactly the same bytes. For an attempt by Jupiter, the minimum is the one that the instruction's data enforces.
 */
export async function readMessage(
  message: Uint8Array,
  tipAccounts: readonly Address[],
): Promise<MessageTerms | undefined> {
  let terms: MessageTerms | undefined;
  try {
    terms = termsIn(getCompiledTransactionMessageDecoder().decode(message));
  } catch {
    // The bytes end early, or name accounts that the message does not have.
  }
  if (terms === undefined) return undefined;
  const again = await composeMessage(terms, tipAccounts);
  return "message" in again && Buffer.from(again.message).equals(message) ? terms : undefined;
}

function termsIn(compiled: CompiledMessage): MessageTerms | undefined {
  if (compiled.version === "legacy") return undefined;
  const accounts = accountsIn(compiled);
  const [limit, price, rent, marker, ...rest] = compiled.instructions.map((each) =>
    instructionFrom(each, compiled, accounts),
  );
  if (limit === undefined || price === undefined || rent === undefined || marker === undefined)
    return undefined;
  const seedEnd = 44 + Number(viewOf(marker).getBigUint64(36, true));
  const common = {
    wallet: staticAt(compiled, 0),
    orderId: Buffer.from(marker.data.subarray(44, seedEnd)).toString("latin1"),
    blockhash: compiled.lifetimeToken,
    computeUnitLimit: viewOf(limit).getUint32(1, true),
    microLamportsPerUnit: viewOf(price).getBigUint64(1, true),
    markerRentLamports: viewOf(rent).getBigUint64(4, true),
  };
  if (rest.length === 0) return { purpose: "clear", ...common };
  const trade = tradeIn(rest);
  return trade && { purpose: "swap", ...common, ...trade };
}

const staticAt = ({ staticAccounts }: CompiledMessage, index: number): Address => {
  const found = staticAccounts[index];
  if (found === undefined) throw new RangeError("The message has no such account");
  return found;
};

/**
 * Lists the accounts of a message by index: static accounts first, then writable and read-only accounts from lookup
 * tables.
 */
function accountsIn(compiled: Exclude<CompiledMessage, { version: "legacy" }>): VenueAccount[] {
  const { numSignerAccounts, numReadonlySignerAccounts, numReadonlyNonSignerAccounts } = compiled.header;
  const { staticAccounts, addressTableLookups = [] } = compiled;
  const isWritable = (index: number) =>
    index < numSignerAccounts
      ? index < numSignerAccounts - numReadonlySignerAccounts
      : index < staticAccounts.length - numReadonlyNonSignerAccounts;
  const looked = (isWritable: boolean) =>
    addressTableLookups.flatMap(({ lookupTableAddress, writableIndices, readableIndices }) =>
      (isWritable ? writableIndices : readableIndices).map((index) => ({
        table: lookupTableAddress,
        index,
        isWritable,
      })),
    );
  return [
    ...staticAccounts.map((address, index) => ({ address, isWritable: isWritable(index) })),
    ...looked(true),
    ...looked(false),
  ];
}

function instructionFrom(
  { programAddressIndex, accountIndices = [], data = new Uint8Array() }: CompiledInstruction,
  compiled: CompiledMessage,
  accounts: readonly VenueAccount[],
): ReadInstruction {
  const resolved = accountIndices.map((index) => accounts[index]);
  if (resolved.includes(undefined)) throw new RangeError("The message has no such account");
  return {
    program: staticAt(compiled, programAddressIndex),
    accounts: resolved as VenueAccount[],
    data: Uint8Array.from(data),
  };
}

const viewOf = ({ data }: ReadInstruction): DataView =>
  new DataView(data.buffer, data.byteOffset, data.byteLength);

const addressAt = ({ accounts }: ReadInstruction, place: number): Address => {
  const account = accounts[place];
  if (account === undefined || !("address" in account)) throw new RangeError("The account is not static");
  return account.address;
};

const isTransfer = (each: ReadInstruction | undefined): boolean =>
  each?.program === programs.system && each.data[0] === 2;

/** Reads the instructions after the marker's. Composing them again verifies everything else. */
function tradeIn(instructions: readonly ReadInstruction[]): AttemptTrade | undefined {
  // A trade on a curve comes last. All others end with closing their account of wrapped SOL.
  const isOnCurve = instructions.at(-1)?.program === pumpPrograms.curve;
  const hasTip = isTransfer(instructions[isOnCurve ? 0 : 1]);
  const tipped = hasTip ? instructions[0] : undefined;
  const untipped = hasTip ? instructions.slice(1) : instructions;
  const rest = isOnCurve ? untipped : untipped.slice(3);
  const side = rest[0]?.program === programs.associatedToken ? "buy" : "sell";
  const swap = swapIn(side === "buy" ? rest.slice(1) : rest, side);
  const [funding] = untipped;
  if (swap === undefined || funding === undefined) return undefined;
  const spentCoins = side === "buy" ? swap.amountIn : 0n;
  return {
    side,
    ...swap,
    ...(!isOnCurve && { wsolRentLamports: viewOf(funding).getBigUint64(4, true) - spentCoins }),
    ...(tipped && { tip: tipIn(tipped) }),
  };
}

/** Reads a tip. Older messages, which may still be in a block, name no account against front-running. */
const tipIn = (transfer: ReadInstruction): NonNullable<AttemptTerms["tip"]> => ({
  account: addressAt(transfer, 1),
  lamports: viewOf(transfer).getBigUint64(4, true),
  ...(transfer.accounts.length === 2 && { isPlain: true }),
});

function swapIn(instructions: readonly ReadInstruction[], side: AttemptTerms["side"]): SwapPart | undefined {
  const [first, second] = instructions;
  if (first?.program === cpmmProgram) return cpmmIn(first, side);
  if (first?.program === pumpPrograms.curve || first?.program === pumpPrograms.pool)
    return readPumpSwap(first, side);
  return first !== undefined && second?.program === jupiterProgram
    ? jupiterIn(first, second, side)
    : undefined;
}

function cpmmIn(swap: ReadInstruction, side: AttemptTerms["side"]): SwapPart {
  const venue: SolVenue = { kind: "cpmm", config: addressAt(swap, 2), pool: addressAt(swap, 3) };
  return {
    mint: addressAt(swap, side === "buy" ? 11 : 10),
    tokenProgram: addressAt(swap, side === "buy" ? 9 : 8),
    amountIn: viewOf(swap).getBigUint64(8, true),
    minAmountOut: viewOf(swap).getBigUint64(16, true),
    venue,
  };
}

function jupiterIn(
  approval: ReadInstruction,
  { accounts, data }: ReadInstruction,
  side: AttemptTerms["side"],
): SwapPart | undefined {
  const stated = readJupiter({ accounts, data });
  const { mint, tokenProgram } = (side === "buy" ? stated?.destination : stated?.source) ?? {};
  if (stated === undefined || mint === undefined || tokenProgram === undefined) return undefined;
  const [helper, sourceDecimals] = [addressAt(approval, 2), viewOf(approval).getUint8(9)];
  const amountIn = viewOf(approval).getBigUint64(1, true);
  const venue: SolVenue = { kind: "jupiter", helper, sourceDecimals, accounts, data };
  return { mint, tokenProgram, amountIn, minAmountOut: stated.leastOut, venue };
}
