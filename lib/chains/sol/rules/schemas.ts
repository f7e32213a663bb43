import * as v from "valibot";
import { isBase58 } from "../../../core/base58.ts";
import type { Lamports, TokenUnits } from "../../../core/units.ts";
import { block, count, listOf, text, textLike, units } from "../../../orders/schema-parts.ts";
import {
  claimedTerms,
  intentTerms,
  ledgerOwner,
  orderTerms,
  requestTerms,
  slotTerms,
  unread,
} from "../../../orders/schemas.ts";
import { mostAttempts, mostClears } from "./attempts.ts";

const coins: v.GenericSchema<Lamports> = units;
const tokens: v.GenericSchema<TokenUnits> = units;

const mostMessages = mostAttempts + mostClears;

export const cpmmRoute = v.strictObject({ venue: v.literal("raydium-cpmm"), pool: text, config: text });

/** The market of a token on Pump's programs. A token has one curve, and one pool that follows it. */
export const curveRoute = v.strictObject({ venue: v.literal("pump"), pool: text });
export const pumpPoolRoute = v.strictObject({ venue: v.literal("pumpswap"), pool: text });

export const jupiterRoute = v.strictObject({ venue: v.literal("jupiter-metis") });

const route = v.variant("venue", [cpmmRoute, curveRoute, pumpPoolRoute, jupiterRoute]);

export const solIntent = v.strictObject({
  ...intentTerms.entries,
  chain: v.literal("sol"),
  /** The program that owns the mint: Token or Token-2022. */
  tokenProgram: text,
  /** The order's allowed routes, best first. */
  routes: listOf(route, 10),
  /** Budget for the priority fees and tips of all the order's transactions. */
  budgetLamports: coins,
  /** Maximum number of transactions that could fill the order. Absent for orders that were placed before it existed. */
  attempts: v.exactOptional(v.pipe(count, v.maxValue(mostAttempts))),
});

export const messageFees = v.strictObject({
  /** Number of signatures that the message pays for. */
  signatures: count,
  computeUnitLimit: count,
  /** Price of a compute unit, in millionths of a lamport. */
  microLamportsPerUnit: units,
  tipLamports: coins,
});

export const purpose = v.picklist(["swap", "clear"]);

export const solAttempt = v.strictObject({
  ...messageFees.entries,
  purpose,
  hash: text,
  /** Last block height at which a block can contain the transaction. */
  lastValidBlockHeight: count,
  /** The amount spent. Absent for a clear, which has no route either. */
  amountIn: v.exactOptional(units),
  route: v.exactOptional(route),
  signedAtMs: count,
  /** Time at which the transaction was first sent. It may have been sent even if this time is absent. */
  sentAtMs: v.optional(count),
});

const anyReceipt = {
  hash: text,
  /**
   * The block, with its slot as the number and the slot's text in place of the hash, because no RPC call returns a
   * block's hash.
   */
  block,
  /** Fees for signatures and priority, including the tip. */
  fee: coins,
  tip: coins,
  /** Rent that stays in accounts opened by the transaction. */
  rent: v.bigint(),
  /** Absent if the host does not state it. */
  computeUnits: v.exactOptional(count),
};

export const solReceipt = v.variant("status", [
  v.strictObject({
    ...anyReceipt,
    status: v.literal("failed"),
    isSlippage: v.boolean(),
    /** Present if the wallet could not pay for the transaction. */
    isUnfunded: v.exactOptional(v.literal(true)),
  }),
  v.strictObject({
    ...anyReceipt,
    status: v.literal("ok"),
    spent: units,
    received: units,
    /** The wallet's tokens before the transaction. */
    held: tokens,
  }),
]);

export const solSlot = v.strictObject({
  ...slotTerms.entries,
  state: v.picklist(["signed", "mined", "lapsed"]),
  attempts: listOf(solAttempt, mostMessages),
  /** Holds one result for each attempt that is in a block, in the order of the attempts. */
  receipts: listOf(solReceipt, mostMessages),
});

export const signedMessage = v.strictObject({
  purpose,
  hash: text,
  signatures: count,
  mostFeeLamports: coins,
  /** Last block height at which a block can contain the message. Kept only for children. */
  lastValidBlockHeight: v.exactOptional(count),
});

/** The items of an order on Solana. */
export const solItems = {
  order: v.strictObject({ intent: solIntent, ...orderTerms.entries, details: unread }),
  slot: solSlot,
  ledger: v.strictObject({
    ...ledgerOwner.entries,
    messages: listOf(signedMessage, mostMessages),
    swapSignedAtMs: v.exactOptional(count),
    revision: count,
  }),
};

const lamports = v.pipe(v.bigint(), v.minValue(0n), v.maxValue(2n ** 64n - 1n));
const address = v.pipe(
  textLike(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/),
  v.check((address) => isBase58(address, 32)),
);

const anyMessage = {
  signatures: count,
  computeUnitLimit: count,
  microLamportsPerUnit: lamports,
  tip: v.exactOptional(v.strictObject({ account: address, lamports })),
  blockhash: address,
  /** Last block height at which a block can contain the transaction. */
  lastValidBlockHeight: count,
  markerRentLamports: lamports,
};

const swapOfCoin = {
  purpose: v.literal("swap"),
  ...anyMessage,
  /** The amount to spend: lamports for a buy, units of the token for a sale. */
  amountIn: lamports,
};

const anySwap = {
  ...swapOfCoin,
  /** Rent of the temporary wrapped-coin account, in lamports. */
  wsolRentLamports: lamports,
};

const byte = v.pipe(count, v.maxValue(255));
const isWritable = v.boolean();

/** A limit above the number of accounts and the size of the data in any valid transaction. */
const most = { accounts: 256, dataBytes: 1232 };

/** An account in an instruction that Jupiter has built: an address, or a position in a lookup table. */
const buildAccount = v.union([
  v.strictObject({ isWritable, address }),
  v.strictObject({ isWritable, table: address, index: byte }),
]);

export const jupiterBuild = v.strictObject({
  /** The address of the helper key. */
  helper: address,
  /** The decimals of the spent token. */
  sourceDecimals: byte,
  accounts: listOf(buildAccount, most.accounts),
  /** The message in base64. */
  data: v.pipe(v.string(), v.maxLength(2 * most.dataBytes), v.base64()),
});

const pumpMarket = {
  /** The lookup table with the accounts that all trades on Pump's programs name. */
  table: address,
  /** The account that collects the creator's fees. */
  vault: address,
  /** True if the fees of the token have recipients of their own. */
  isMayhem: v.boolean(),
};

export const curveMarket = v.strictObject({
  ...pumpMarket,
  /** Number of tokens left on the curve. Present only if a buy takes them all. */
  rest: v.exactOptional(lamports),
});

export const pumpPoolMarket = v.strictObject({
  ...pumpMarket,
  /** True if somebody gets a creator's fee. */
  hasCreator: v.boolean(),
  /** True if traders get the creator's fee. */
  hasCashback: v.boolean(),
});

export const solMessage = v.union([
  v.strictObject({ purpose: v.literal("clear"), ...anyMessage }),
  v.strictObject({
    ...anySwap,
    route: v.strictObject({ ...cpmmRoute.entries, pool: address, config: address }),
  }),
  v.strictObject({
    ...swapOfCoin,
    route: v.strictObject({ ...curveRoute.entries, pool: address }),
    curve: curveMarket,
  }),
  v.strictObject({
    ...anySwap,
    route: v.strictObject({ ...pumpPoolRoute.entries, pool: address }),
    pumpPool: pumpPoolMarket,
  }),
  v.strictObject({ ...anySwap, route: jupiterRoute, build: jupiterBuild }),
]);

const signature = v.pipe(
  textLike(/^[1-9A-HJ-NP-Za-km-z]{64,88}$/),
  v.check((signature) => isBase58(signature, 64)),
);

/** A signing request on Solana. */
export const solRequest = v.strictObject({
  chain: v.literal("sol"),
  wallet: address,
  ...requestTerms,
  attempt: count,
  purpose,
  message: solMessage,
  helperSignature: v.exactOptional(signature),
  claimed: v.exactOptional(v.strictObject({ intent: solIntent, ...claimedTerms })),
});
