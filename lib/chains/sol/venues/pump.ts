import { AccountRole, type Address, getU64Encoder } from "@solana/web3.js";
import type { Objection } from "../../../orders/effects.ts";
import { programs, tokenAccountOf, wsolMint } from "../calls/addresses.ts";
import {
  bondingCurveOf,
  type PumpMarket,
  pumpPoolExtensionOf,
  pumpPoolOf,
  pumpPrograms,
  pumpSharingOf,
  pumpVolumeOfUser,
} from "../calls/pump-addresses.ts";
import { fixedPumpAccounts, pumpSlots } from "../calls/pump-table.ts";
import type { SolInstruction } from "./instructions.ts";
import type { AttemptTerms, OwnAccounts, PoolSwapTerms, PumpVenue, VenueAccount } from "./message-terms.ts";

/** Anchor's identifiers of the instructions: the first 8 bytes of the SHA-256 of `global:` and their names. */
export const pumpNames = {
  curve: { buy: "c2ab1c46684d5b2f", buyRest: "b817ee6167c5d33d", sell: "5df6823ce7e940b2" },
  pool: { buy: "c62e1552b4d9e870", sell: "33e685a4017f83ad" },
} as const;

/** Argument of a buy on PumpSwap: its program counts the trade's volume. */
const countsVolume = 1;

const u64 = getU64Encoder();

const { READONLY, WRITABLE, WRITABLE_SIGNER } = AccountRole;

type Meta = SolInstruction["accounts"][number];

type TokenAccounts = Pick<OwnAccounts, "source" | "destination">;

const refused = (reason: string): Objection => ({ refused: reason });

/** Refuses a market that is not the token's own, and accounts of the wallet in the place of the market's. */
export async function objectionToPump(
  { wallet, side, mint, minAmountOut }: AttemptTerms,
  venue: PumpVenue,
  { marker, source, destination }: OwnAccounts,
): Promise<Objection | undefined> {
  const own = venue.kind === "pump" ? await bondingCurveOf(mint) : await pumpPoolOf(mint);
  if (venue.pool !== own) return refused("the market is not the token's own");
  if ([wallet, marker, source.account, destination.account].includes(venue.vault))
    return refused("the creator's vault is an account of the wallet");
  const rest = venue.kind === "pump" ? venue.rest : undefined;
  if (rest !== undefined && (side === "sell" || rest < minAmountOut))
    return refused("the rest of the curve is below the minimum, or sold");
  return undefined;
}

/**
 * Encodes a trade on a bonding curve or on PumpSwap, which either pays at least the minimum or fails. A curve moves the
 * wallet's lamports itself. The accounts are in the order of the programs' IDLs.
 */
export const pumpSwap = (
  terms: PoolSwapTerms,
  venue: PumpVenue,
  own: TokenAccounts,
): Promise<SolInstruction> =>
  venue.kind === "pump" ? curveSwap(terms, venue, own) : poolSwap(terms, venue, own);

/** Makes accounts that a lookup table holds. The library needs their addresses only to recognize repetitions. */
async function lookup(table: Address) {
  const fixed = await fixedPumpAccounts();
  return (place: number, role: typeof READONLY | typeof WRITABLE = READONLY): Meta => ({
    address: fixed[place] ?? (`${table} ${place}` as Address),
    lookupTableAddress: table,
    addressIndex: place,
    role,
  });
}

async function curveSwap(
  { wallet, side, mint, tokenProgram, amountIn, minAmountOut }: PoolSwapTerms,
  { pool: curve, table, vault, isMayhem, rest }: Extract<PumpVenue, { kind: "pump" }>,
  { source, destination }: TokenAccounts,
): Promise<SolInstruction> {
  const held = await lookup(table);
  const slots = pumpSlots.curve;
  const feeSlots = isMayhem ? pumpSlots.mayhem : pumpSlots.usual;
  const volume = await pumpVolumeOfUser("curve", wallet);
  const wsolOf = (owner: Address) => tokenAccountOf(owner, wsolMint, programs.token);
  const token = side === "buy" ? destination : source;
  const accounts: Meta[] = [
    held(slots.config),
    { address: mint, role: READONLY },
    held(pumpSlots.wsol),
    programMeta(tokenProgram, held),
    { address: programs.token, role: READONLY },
    { address: programs.associatedToken, role: READONLY },
    held(feeSlots.recipient, WRITABLE),
    held(feeSlots.account, WRITABLE),
    held(pumpSlots.buyback.recipient, WRITABLE),
    held(pumpSlots.buyback.account, WRITABLE),
    { address: curve, role: WRITABLE },
    { address: await tokenAccountOf(curve, mint, tokenProgram), role: WRITABLE },
    { address: await wsolOf(curve), role: WRITABLE },
    { address: wallet, role: WRITABLE_SIGNER },
    { address: token.account, role: WRITABLE },
    { address: await wsolOf(wallet), role: WRITABLE },
    { address: vault, role: WRITABLE },
    { address: await wsolOf(vault), role: WRITABLE },
    { address: await pumpSharingOf(mint), role: READONLY },
    ...(side === "buy" ? [held(slots.volumes)] : []),
    { address: volume, role: WRITABLE },
    { address: await wsolOf(volume), role: WRITABLE },
    held(slots.fees),
    held(pumpSlots.feeProgram),
    { address: programs.system, role: READONLY },
    held(slots.events),
    { address: pumpPrograms.curve, role: READONLY },
  ];
  const name = pumpNames.curve[rest === undefined ? side : "buyRest"];
  const amounts = rest === undefined ? [amountIn, minAmountOut] : [rest, amountIn];
  return { programAddress: pumpPrograms.curve, accounts, data: dataOf(name, amounts) };
}

async function poolSwap(
  { wallet, side, mint, tokenProgram, amountIn, minAmountOut }: PoolSwapTerms,
  { pool, table, vault, isMayhem, hasCreator, hasCashback }: Extract<PumpVenue, { kind: "pumpswap" }>,
  { source, destination }: TokenAccounts,
): Promise<SolInstruction> {
  const held = await lookup(table);
  const slots = pumpSlots.pool;
  const feeSlots = isMayhem ? pumpSlots.mayhem : pumpSlots.usual;
  const volume = await pumpVolumeOfUser("pool", wallet);
  const wsolOf = (owner: Address) => tokenAccountOf(owner, wsolMint, programs.token);
  const [token, coin] = side === "buy" ? [destination, source] : [source, destination];
  const cashback: Meta[] = hasCashback
    ? [
        { address: await wsolOf(volume), role: WRITABLE },
        ...(side === "sell" ? [{ address: volume, role: WRITABLE } as const] : []),
      ]
    : [];
  const accounts: Meta[] = [
    { address: pool, role: WRITABLE },
    { address: wallet, role: WRITABLE_SIGNER },
    held(slots.config),
    { address: mint, role: READONLY },
    held(pumpSlots.wsol),
    { address: token.account, role: WRITABLE },
    { address: coin.account, role: WRITABLE },
    { address: await tokenAccountOf(pool, mint, tokenProgram), role: WRITABLE },
    { address: await wsolOf(pool), role: WRITABLE },
    held(feeSlots.recipient),
    held(feeSlots.account, WRITABLE),
    programMeta(tokenProgram, held),
    { address: programs.token, role: READONLY },
    { address: programs.system, role: READONLY },
    { address: programs.associatedToken, role: READONLY },
    held(slots.events),
    { address: pumpPrograms.pool, role: READONLY },
    { address: await wsolOf(vault), role: WRITABLE },
    { address: vault, role: READONLY },
    ...(side === "buy" ? [held(slots.volumes), { address: volume, role: WRITABLE } as const] : []),
    held(slots.fees),
    held(pumpSlots.feeProgram),
    ...cashback,
    ...(hasCreator ? [{ address: await pumpPoolExtensionOf(mint), role: READONLY } as const] : []),
    held(pumpSlots.buyback.recipient),
    held(pumpSlots.buyback.account, WRITABLE),
  ];
  const data = dataOf(pumpNames.pool[side], [amountIn, minAmountOut]);
  return {
    programAddress: pumpPrograms.pool,
    accounts,
    data: side === "buy" ? Uint8Array.from([...data, countsVolume]) : data,
  };
}

const programMeta = (program: Address, held: (place: number) => Meta): Meta =>
  program === programs.token2022 ? held(pumpSlots.token2022) : { address: program, role: READONLY };

const dataOf = (name: string, amounts: readonly bigint[]): Uint8Array =>
  Uint8Array.from([...Buffer.from(name, "hex"), ...amounts.flatMap((amount) => [...u64.encode(amount)])]);

/** Positions of accounts that differ between trades. */
const places: Readonly<
  Record<PumpMarket, Record<"mint" | "program" | "pool" | "recipient" | "vault", number>>
> = {
  curve: { mint: 1, program: 3, recipient: 6, pool: 10, vault: 16 },
  pool: { pool: 0, mint: 3, recipient: 9, program: 11, vault: 18 },
};

/** Number of accounts that each trade on PumpSwap begins with. Writable ones for cashback follow. */
const leading = { buy: 23, sell: 21 };

/** Number of accounts for cashback. */
const ofCashback = { buy: 1, sell: 2 };

/** Number of accounts that each trade on PumpSwap ends with. */
const ending = 2;

/** Reads the terms of an instruction. Composing them again verifies everything else. */
export function readPumpSwap(
  { program, accounts, data }: { program: Address; accounts: readonly VenueAccount[]; data: Uint8Array },
  side: AttemptTerms["side"],
):
  | (Pick<AttemptTerms, "mint" | "tokenProgram" | "amountIn" | "minAmountOut"> & { venue: PumpVenue })
  | undefined {
  const market = program === pumpPrograms.curve ? "curve" : "pool";
  const at = places[market];
  const recipient = accounts[at.recipient];
  if (recipient === undefined || !("table" in recipient)) return undefined;
  const addressAt = (place: number): Address => {
    const account = accounts[place];
    if (account === undefined || !("address" in account)) throw new RangeError("The account is not static");
    return account.address;
  };
  const { table } = recipient;
  const isMayhem = recipient.index === pumpSlots.mayhem.recipient;
  const ownProgram = accounts[at.program];
  const isLookup = ownProgram !== undefined && "table" in ownProgram;
  const common = {
    mint: addressAt(at.mint),
    tokenProgram: isLookup ? programs.token2022 : addressAt(at.program),
  };
  const named = { pool: addressAt(at.pool), table, vault: addressAt(at.vault), isMayhem };
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const [first, second] = [view.getBigUint64(8, true), view.getBigUint64(16, true)];
  if (market === "curve") {
    const isRest = Buffer.from(data.subarray(0, 8)).toString("hex") === pumpNames.curve.buyRest;
    const [amountIn, minAmountOut] = isRest ? [second, first] : [first, second];
    return {
      ...common,
      amountIn,
      minAmountOut,
      venue: { kind: "pump", ...named, ...(isRest && { rest: first }) },
    };
  }
  const hasCashback = accounts[leading[side]]?.isWritable === true;
  const further = accounts.length - leading[side] - ending - (hasCashback ? ofCashback[side] : 0);
  return {
    ...common,
    amountIn: first,
    minAmountOut: second,
    venue: { kind: "pumpswap", ...named, hasCreator: further === 1, hasCashback },
  };
}
