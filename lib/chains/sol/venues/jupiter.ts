import { AccountRole, type Address, address, upgradeRoleToSigner } from "@solana/web3.js";
import type { Objection } from "../../../orders/effects.ts";
import type { SolInstruction } from "./instructions.ts";
import type { AttemptTerms, JupiterVenue, OwnAccounts, VenueAccount } from "./message-terms.ts";

export const jupiterProgram = address("JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4");

/** The program's error code when the output is below the minimum. */
export const jupiterSlippageCode = 6001;

/** Positions of an instruction's accounts and amounts, according to Jupiter's IDL. */
type Layout = {
  authority: number;
  source: number;
  destination: number;
  /** An optional other account to pay. Jupiter's own address there stands for none. */
  otherDestination?: number;
  sourceMint: number;
  destinationMint: number;
  sourceProgram: number;
  destinationProgram: number;
  /** Offset of `in_amount`. The quoted output, the slippage and the two fees follow it. */
  amountsAt: number;
};

/**
 * The allowed instructions, by their discriminators: `route_v2` and `shared_accounts_route_v2`. Older instructions have
 * their amounts after the route, and only Jupiter knows the length of the route, so bytes after it could pretend to be
 * the amounts.
 */
const layouts: Readonly<Record<string, Layout>> = {
  bb64facc31c4af14: {
    authority: 0,
    source: 1,
    destination: 2,
    otherDestination: 7,
    amountsAt: 8,
    sourceMint: 3,
    destinationMint: 4,
    sourceProgram: 5,
    destinationProgram: 6,
  },
  d19853937cfed8e9: {
    authority: 1,
    source: 2,
    destination: 5,
    amountsAt: 9,
    sourceMint: 6,
    destinationMint: 7,
    sourceProgram: 8,
    destinationProgram: 9,
  },
};

/** Size of the two amounts and the three rates in basis points. */
const amountsLength = 22;

const wholeBps = 10_000n;

/** The terms that the data of Jupiter's instruction states. Amounts are in units, or lamports. */
type Stated = { inAmount: bigint; leastOut: bigint; feesBps: number };

const layoutOf = (data: Uint8Array): Layout | undefined =>
  layouts[Buffer.from(data.subarray(0, 8)).toString("hex")];

/** @throws {RangeError} if the data ends before all the amounts */
function statedIn(data: Uint8Array, { amountsAt }: Layout): Stated {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const quoted = view.getBigUint64(amountsAt + 8, true);
  const slippageBps = BigInt(view.getUint16(amountsAt + 16, true));
  return {
    inAmount: view.getBigUint64(amountsAt, true),
    leastOut: (quoted * (wholeBps - slippageBps)) / wholeBps,
    feesBps: view.getUint16(amountsAt + 18, true) + view.getUint16(amountsAt + 20, true),
  };
}

/**
 * Returns the terms of Jupiter's instruction: the mints among its accounts and the minimum output that it enforces.
 * Returns undefined for an instruction that is not allowed.
 *
 * @throws {RangeError} if the data ends before all the amounts
 */
export function readJupiter({ accounts, data }: Pick<JupiterVenue, "accounts" | "data">) {
  const layout = layoutOf(data);
  if (layout === undefined) return undefined;
  const at = (place: number) => addressOf(accounts[place]);
  return {
    source: { mint: at(layout.sourceMint), tokenProgram: at(layout.sourceProgram) },
    destination: { mint: at(layout.destinationMint), tokenProgram: at(layout.destinationProgram) },
    leastOut: statedIn(data, layout).leastOut,
  };
}

/**
 * Returns the data with the minimum written as the quoted output, and a slippage of 0. The data is unchanged if the
 * instruction is not allowed or the data ends early.
 */
export function withLeastOut(data: Uint8Array, leastOut: bigint): Uint8Array {
  const changed = Uint8Array.from(data);
  const layout = layoutOf(changed);
  if (layout === undefined || changed.length < layout.amountsAt + amountsLength) return changed;
  const view = new DataView(changed.buffer);
  view.setBigUint64(layout.amountsAt + 8, leastOut, true);
  view.setUint16(layout.amountsAt + 16, 0, true);
  return changed;
}

const addressOf = (account: VenueAccount | undefined): Address | undefined =>
  account !== undefined && "address" in account ? account.address : undefined;

const refused = (reason: string): Objection => ({ refused: reason });

/**
 * Returns the reason not to sign Jupiter's instruction. Its program and its route are not trusted: the helper key signs
 * for it, not the wallet, and can move only the order's amount. The route may name the order's accounts and mints
 * again, because exchanges need them, and may write to the helper, because the helper owns nothing. An account in a
 * lookup table cannot belong to the wallet, because the chain refuses messages that name an account twice.
 */
export function objectionToJupiter(
  { wallet, side, amountIn, minAmountOut }: AttemptTerms,
  { helper, sourceDecimals, accounts, data }: JupiterVenue,
  { marker, source, destination }: OwnAccounts,
): Objection | undefined {
  const layout = layoutOf(data);
  if (layout === undefined) return refused("the instruction of the venue is not in the list");
  if (data.length < layout.amountsAt + amountsLength) return refused("the venue's data ends early");
  if (!Number.isInteger(sourceDecimals) || sourceDecimals < 0 || sourceDecimals > 255)
    return refused("the decimals are not one byte");
  if (side === "buy" && sourceDecimals !== 9) return refused("SOL has 9 decimals");
  const named = accounts.map(addressOf);
  if (named.includes(wallet) || named.includes(marker))
    return refused("the venue's instruction names the wallet or the marker");
  const { otherDestination } = layout;
  const isOwn =
    named[layout.source] === source.account &&
    named[layout.destination] === destination.account &&
    named[layout.sourceMint] === source.mint &&
    named[layout.destinationMint] === destination.mint;
  const payee = otherDestination === undefined ? jupiterProgram : named[otherDestination];
  if (!isOwn || (payee !== jupiterProgram && payee !== destination.account))
    return refused("the venue's accounts or mints are not the order's");
  if (
    named[layout.authority] !== helper ||
    named[layout.sourceProgram] !== source.tokenProgram ||
    named[layout.destinationProgram] !== destination.tokenProgram
  )
    return refused("the venue's authority or token programs are not the order's");
  const stated = statedIn(data, layout);
  if (stated.inAmount !== amountIn) return refused("the venue's amount is not the order's");
  if (stated.feesBps !== 0) return refused("the venue's instruction takes a fee for a platform");
  if (stated.leastOut < minAmountOut) return refused("the venue's minimum is below the order's");
  return undefined;
}

/** Makes Jupiter's instruction. Only the helper key signs for it. */
export const jupiterSwap = ({ helper, accounts, data }: JupiterVenue): SolInstruction => ({
  programAddress: jupiterProgram,
  accounts: accounts.map((account) => {
    const role = account.isWritable ? AccountRole.WRITABLE : AccountRole.READONLY;
    if ("address" in account) {
      const { address } = account;
      return { address, role: address === helper ? upgradeRoleToSigner(role) : role };
    }
    const { table, index } = account;
    // Gives each account a different name, because the library requires one. Only the table and the index are encoded.
    const name = `${table} ${index}` as Address;
    return { address: name, lookupTableAddress: table, addressIndex: index, role };
  }),
  data,
});
