import * as v from "valibot";
import { evmChains, isEvmChain } from "../../../core/chain-facts.ts";
import type { TokenUnits, Wei, WeiPerGas } from "../../../core/units.ts";
import { orderSides } from "../../../orders/execution.ts";
import {
  block,
  blockNames,
  count,
  listOf,
  owner,
  text,
  textLike,
  units,
} from "../../../orders/schema-parts.ts";
import {
  claimedTerms,
  intentTerms,
  ledgerOwner,
  orderTerms,
  requestTerms,
  slotTerms,
  unread,
} from "../../../orders/schemas.ts";
import { gasPresets } from "../../../users/settings.ts";
import { swapVenues } from "./swap-venues.ts";

const chain = v.pipe(owner.chain, v.check(isEvmChain));
const gas = v.pipe(units, v.minValue(1n));
const coins: v.GenericSchema<Wei> = units;
const tokens: v.GenericSchema<TokenUnits> = units;
const gasPrice: v.GenericSchema<WeiPerGas> = units;

export const poolKey = v.strictObject({
  venue: v.picklist(swapVenues),
  /** The usual fee of pools with this spacing. A pool may have a different fee, or change its fee with the market. */
  feeBps: count,
  /** Slipstream's tick spacing, or LFJ's bin step in basis points. */
  spacing: v.exactOptional(count),
});

export const bridge = v.strictObject({ ...poolKey.entries, token: text });

export const evmRoute = v.strictObject({ ...poolKey.entries, router: text, bridge: v.exactOptional(bridge) });

export const evmIntent = v.strictObject({
  ...intentTerms.entries,
  chain,
  /** The order's allowed routes, best first. */
  routes: listOf(evmRoute, 10),
  /** Gas limit of the swap, with a margin. */
  gasLimit: gas,
  /** Maximum gas of an approval. 0 for a buy. */
  approvalGas: units,
  maxGasPrice: gasPrice,
  gasPreset: v.picklist(gasPresets),
  /** The wallet's next nonce when the order was placed. */
  nextNonce: count,
});

export const swapCall = v.strictObject({
  purpose: v.literal("swap"),
  ...evmRoute.entries,
  side: v.picklist(orderSides),
  token: text,
  recipient: text,
  /** The native coin sent with the call. */
  value: coins,
  amountIn: units,
  minAmountOut: units,
  deadline: count,
  /**
   * True if the swap takes back coin that the pool did not use. Otherwise a v3 router keeps that coin, and anyone can
   * take it.
   */
  hasRefund: v.boolean(),
});

export const approveCall = v.strictObject({
  purpose: v.literal("approve"),
  token: text,
  router: text,
  amount: tokens,
});

export const evmFees = v.strictObject({ maxFeePerGas: gasPrice, maxPriorityFeePerGas: gasPrice });

const purpose = v.picklist(["swap", "approve", "clear"]);

export const evmAttempt = v.strictObject({
  ...evmFees.entries,
  purpose,
  hash: text,
  gasLimit: gas,
  signedAtMs: count,
  /** Time at which the transaction was first sent. It may have been sent even if this time is absent. */
  sentAtMs: v.optional(count),
});

const anyReceipt = {
  hash: text,
  block,
  /** Amounts in native coin, including the L1 fee. */
  fee: coins,
  l1Fee: coins,
  gasUsed: units,
  /** The price paid per unit of gas, without the L1 fee. */
  gasPrice,
};

export const evmReceipt = v.variant("status", [
  v.strictObject({ ...anyReceipt, status: v.literal("failed"), isSlippage: v.boolean() }),
  v.strictObject({
    ...anyReceipt,
    status: v.literal("ok"),
    /** The amounts that a swap moved, according to the transaction's events. 0 for other transactions. */
    spent: units,
    received: units,
    /**
     * The tokens that the wallet received or sent, according to its balances before and after the block. Absent if the
     * host no longer keeps these balances.
     */
    moved: v.exactOptional(tokens),
    /** True once both hosts have reported the same amount. */
    isAgreed: v.exactOptional(v.literal(true)),
  }),
]);

export const evmSlot = v.strictObject({
  ...slotTerms.entries,
  chain,
  state: v.picklist(["planned", "signed", "mined", "taken"]),
  call: v.variant("purpose", [swapCall, approveCall]),
  /** The fees of the first attempt. */
  fees: evmFees,
  gasLimit: gas,
  /** State of a sale at the time of planning: the tokens in the wallet, and the tokens that the router may take. */
  held: v.exactOptional(tokens),
  allowance: v.exactOptional(tokens),
  attempts: listOf(evmAttempt, 1000),
  /** The reason that the relay or hosts gave for refusing the transaction, if something can be done about it. */
  refusal: v.optional(v.picklist(["underpriced", "unfunded"])),
  /** The receipt of a mined slot. */
  receipt: v.exactOptional(evmReceipt),
  /** Blocks in which both hosts saw that another transaction had used the nonce. */
  takenIn: v.exactOptional(blockNames),
});

const nonceText = v.pipe(v.string(), v.regex(/^(?:0|[1-9]\d{0,15})$/));

const feesByNonce = v.pipe(
  v.custom<object>((value) => !Array.isArray(value)),
  v.record(nonceText, v.strictObject({ ...evmFees.entries, most: coins })),
);

const wei = v.pipe(v.bigint(), v.minValue(0n), v.maxValue(2n ** 128n));

/** The items of an order on an EVM chain. */
export const evmItems = {
  order: v.strictObject({
    intent: evmIntent,
    ...orderTerms.entries,
    details: unread,
    approveNonces: listOf(count, 100),
    swapNonce: v.optional(count),
  }),
  slot: evmSlot,
  ledger: v.strictObject({
    ...ledgerOwner.entries,
    approveNonces: v.pipe(v.array(count), v.readonly()),
    fees: feesByNonce,
    swap: v.exactOptional(v.strictObject({ nonce: count, call: swapCall })),
    swapSignedAtMs: v.exactOptional(count),
    signatures: v.exactOptional(listOf(v.strictObject({ nonce: count, purpose, hash: text }), 1000)),
    revision: count,
  }),
};

/** A signing request on an EVM chain. */
export const evmRequest = v.strictObject({
  chain: v.picklist(evmChains),
  wallet: textLike(/^0x[\dA-Fa-f]{40}$/),
  ...requestTerms,
  purpose,
  fees: v.strictObject({ maxFeePerGas: wei, maxPriorityFeePerGas: wei }),
  clearGas: v.exactOptional(wei),
  claimed: v.exactOptional(v.strictObject({ intent: evmIntent, ...claimedTerms })),
});
