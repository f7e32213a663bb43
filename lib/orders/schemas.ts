import * as v from "valibot";
import { networks } from "../core/network.ts";
import { isOwnId } from "../core/record-ids.ts";
import { scopes } from "../core/scope.ts";
import type { CoinUnits } from "../core/units.ts";
import { orderSides, orderStages, reasonCodes } from "./execution.ts";
import type { PlacedExit } from "./resting/exits/given.ts";
import { mandateTerms, parentTerms } from "./resting/schemas.ts";
import { blockNames, count, listOf, owner, programKeyId, text, textLike, units } from "./schema-parts.ts";

/**
 * Schemas of the items that the signer bases its decisions on. Functions that may be compromised can write some of
 * these items, so everything unexpected is rejected, such as text in place of a number, unknown fields, sets and
 * infinite values. Each family adds its own schemas.
 */

const coins: v.GenericSchema<CoinUnits> = units;

export const intentTerms = v.strictObject({
  ...owner,
  orderId: text,
  side: v.picklist(orderSides),
  /** The traded token. The other side is always the chain's native coin. */
  token: text,
  /** Maximum amount to spend: coin for a buy, tokens for a sale. In units, like all amounts in this folder. */
  amount: units,
  /** Minimum that must arrive. */
  minAmountOut: units,
  /** Amount that the hosts quoted when the order was placed. Policies compare the minimum with it. */
  quotedOut: units,
  /** True if the order's transactions go only to a relay. */
  isPrivate: v.boolean(),
  /** Time of placing in milliseconds, which cancellations of many orders compare. */
  createdAt: v.exactOptional(count),
  /** Names the resting order that placed this one. Absent for orders of users. */
  parent: v.exactOptional(parentTerms),
  /** Deadline in seconds. After it, no transaction that could fill the order is signed. */
  validUntil: count,
  /** The program key by which the order was placed. Absent if its user placed it. */
  by: v.exactOptional(programKeyId),
});

export const orderLife = v.strictObject({
  status: v.picklist(["open", "filled", "cancelled", "rejected", "expired"]),
  stage: v.picklist(orderStages),
  settled: v.boolean(),
  networkFee: coins,
  /** Coin left in accounts that were opened for the order. */
  rent: v.exactOptional(v.bigint()),
  spent: units,
  received: v.exactOptional(units),
  txHash: v.exactOptional(text),
  reasonCode: v.exactOptional(v.picklist(reasonCodes)),
});

export const orderEnd = v.strictObject({
  status: v.picklist(["cancelled", "rejected", "expired"]),
  reasonCode: v.picklist(reasonCodes),
  /** Place up to which the wallet was checked, of a sale that found no tokens. */
  soldOutAt: v.exactOptional(count),
  /** Blocks in which both hosts saw that the wallet held no tokens. The order's end is certain once they are final. */
  soldOutIn: v.exactOptional(blockNames),
});

/** Terms of a placed order that clients see, in addition to the intent. */
const placedTerms = v.strictObject({
  /** Idempotency key. Absent for children. */
  clientOrderId: v.exactOptional(text),
  /** Name of the traded pair. */
  symbol: text,
  /** The token's own symbol. Orders of earlier versions lack it. */
  baseSymbol: v.exactOptional(text),
  decimals: count,
  /** Slippage in percent. Absent if the client named the minimum. */
  slippage: v.exactOptional(v.number()),
  percent: v.exactOptional(v.number()),
  /** The exits of a buy, which the signer knows by their own mandates. */
  exits: v.exactOptional(v.custom<readonly PlacedExit[]>(() => true)),
  createdAt: text,
});

export const quotedTerms = v.strictObject({
  /** Price impact in percent. */
  priceImpact: v.exactOptional(v.number()),
  marketImpact: v.exactOptional(v.number()),
  /** Addresses of the pools on each of the intent's routes, from the coin to the token. */
  pools: v.exactOptional(listOf(listOf(text, 2), 10)),
  /** Fees of the pools on each of the intent's routes, in basis points. */
  feesBps: v.exactOptional(listOf(v.number(), 10)),
  /** Maximum planned cost of the order's transactions, in coin. */
  networkFee: coins,
  /** Coin that the order needs to open accounts. Part of it comes back. */
  rents: v.exactOptional(coins),
  /**
   * Maximum amount of coin that can stay in accounts opened for the order. The day's limit counts it as a network fee.
   */
  stayingRents: v.exactOptional(coins),
});

export const orderTerms = v.strictObject({
  /** Proves that placeOrder made the intent. For a child, proves that fireOrders made it. */
  mac: text,
  /** The terms of a child's resting order, and the proof that placeOrder made them. */
  mandate: v.exactOptional(mandateTerms),
  mandateMac: v.exactOptional(text),
  /** True if a child of a limit makes way for a stop. No swap of it is signed any more. */
  yields: v.exactOptional(v.literal(true)),
  placed: placedTerms,
  quoted: quotedTerms,
  /** Amount to spend. A sale lowers it to the wallet's balance. */
  amount: units,
  /** True if the user wants to cancel the order after its swap was signed. */
  isCancelling: v.boolean(),
  ending: v.exactOptional(orderEnd),
  life: orderLife,
  /** Revision of the item. Grows with each write. */
  revision: count,
  /** The order's version. Grows with each change that clients see. */
  version: count,
  updatedAt: text,
});

/** Omits the fields for clients, which the signer never reads. */
export const unread = v.exactOptional(v.any());

/** Fields that all families' slots of a lane have. */
export const slotTerms = v.strictObject({
  ...owner,
  /** The slot's place in the lane, as a number. */
  place: count,
  orderId: text,
  /** True if the slot's transactions go only to a relay. */
  isPrivate: v.boolean(),
  /** True if nobody has confirmed that the newest attempt was accepted. */
  isUndelivered: v.exactOptional(v.boolean()),
  /** Revision of the item. Grows with each write. */
  revision: count,
});

export const ledgerOwner = v.strictObject({ ...owner, orderId: text, validUntil: count });

/** Proofs of an order in a request to the signer, besides its intent. */
export const claimedTerms = {
  mac: orderTerms.entries.mac,
  mandate: orderTerms.entries.mandate,
  mandateMac: orderTerms.entries.mandateMac,
};

/** Fields of a request to the signer that all families have. */
export const requestTerms = {
  orderId: v.pipe(v.string(), v.check(isOwnId)),
  userID: textLike(/^[\x20-\x7e]{1,255}$/),
  place: count,
};

export const walletPolicy = v.strictObject({
  /** Limits the amount of one order, without network fees. */
  maxPerOrder: v.exactOptional(coins),
  /** Limits what a wallet spends per UTC day, including the network fees of all its transactions. */
  maxPerDay: v.exactOptional(coins),
  /** Limits network fees per UTC day and replaces the operators' usual limit. Also applies to sales. */
  maxNetworkFeesPerDay: v.exactOptional(coins),
  /** Addresses of tokens that may be bought. */
  tokens: v.union([v.literal("any"), v.pipe(v.array(text), v.readonly())]),
  /** Maximum by which an order's minimum may be below its quote, in millionths. */
  maxSlippage: v.exactOptional(units),
  /** Present if no order of the wallet ever needs a fresh sign-in, even when it risks a large loss. */
  anyLoss: v.exactOptional(v.literal(true)),
  /** False if the wallet may neither buy nor sell. */
  tradingEnabled: v.boolean(),
});

export const pendingPolicy = v.strictObject({
  policy: walletPolicy,
  effectiveAt: v.pipe(text, v.isoTimestamp()),
  /**
   * Id of the table in which the policy was announced. The announcement is void in any other table, for example a
   * restored one.
   */
  tableId: v.exactOptional(text),
});

export const policyRecord = v.strictObject({
  ...owner,
  policy: walletPolicy,
  pending: v.exactOptional(pendingPolicy),
  revision: count,
});

export const daySpend = v.strictObject({
  /** The count of a program key has the key's id in place of a wallet. */
  ...owner,
  /** The day in UTC, such as 2026-11-22. */
  day: text,
  spent: coins,
  /** The network fees included in `spent`, with coin that stays in accounts. */
  networkFees: v.exactOptional(coins),
  /** The last order whose swap was counted. */
  newestOrderId: v.exactOptional(text),
  /** The network fees of limits' children. */
  limitFees: v.exactOptional(coins),
  /** Number of resting orders for which the signer began a tally. */
  newResting: v.exactOptional(count),
  /** Number of buys that were taken off again, because they can never fill. */
  givenBack: v.exactOptional(count),
  revision: count,
  /** Expiry in seconds, long after the end of the day. */
  expiresAt: count,
});

const amountText = textLike(/^(?=.*[1-9])\d{1,40}(\.\d{1,40})?$/);

const upTo = <const Item extends v.GenericSchema>(most: number, item: Item) =>
  v.pipe(v.array(item), v.maxLength(most));

export const programKey = v.strictObject({
  userID: text,
  keyId: programKeyId,
  name: text,
  /** The Ed25519 public key, in base64url. */
  publicKey: textLike(/^[\w-]{43}$/),
  scopes: upTo(scopes.length, v.picklist(scopes)),
  /** Chains, wallets and tokens of its orders. If absent, all are allowed. */
  chains: v.exactOptional(upTo(networks.length, v.picklist(networks))),
  /** Addresses in canonical form. */
  wallets: v.exactOptional(upTo(100, text)),
  tokens: v.exactOptional(upTo(100, text)),
  /** Limits in the coin of the chain on which an order trades, counted separately on each chain. */
  maxPerOrder: v.exactOptional(amountText),
  maxPerDay: v.exactOptional(amountText),
  createdAt: v.pipe(text, v.isoTimestamp()),
  /** Time from which the key is refused. */
  endsAt: v.pipe(text, v.isoTimestamp()),
  revokedAt: v.exactOptional(v.pipe(text, v.isoTimestamp())),
  revision: count,
  /** Expiry of the item in seconds, long after the key has ended. */
  expiresAt: count,
});
