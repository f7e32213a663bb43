import * as v from "valibot";
import { swapVenues } from "../../chains/evm/rules/swap-venues.ts";
import { mostAttempts, mostClears } from "../../chains/sol/rules/limits.ts";
import { isEvmChain } from "../../core/chain-facts.ts";
import { networks } from "../../core/network.ts";
import { orderSides, orderStages, reasonCodes } from "../../orders/execution.ts";
import type { Items } from "../../orders/table-step.ts";
import type { Item } from "../../table/table.ts";
import { gasPresets } from "../../users/settings.ts";
import { contentOf } from "./items.ts";

/** A stored item has another form than the service writes. */
export class InvalidItem extends Error {
  override readonly name = "InvalidItem";
  readonly kind: SigningKind;

  constructor(kind: SigningKind) {
    super(`The stored ${kind} is invalid`);
    this.kind = kind;
  }
}

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const units = v.pipe(v.bigint(), v.minValue(0n), v.maxValue(2n ** 256n - 1n));
const gas = v.pipe(units, v.minValue(1n));
const text = v.pipe(v.string(), v.maxLength(1000));
const maybe = v.exactOptional;

const lane = { chain: v.picklist(networks), wallet: text };
const owner = { ...lane, userID: text };
const evmOwner = { ...owner, chain: v.pipe(lane.chain, v.check(isEvmChain)) };
const fees = { maxFeePerGas: units, maxPriorityFeePerGas: units };
const pool = { venue: v.picklist(swapVenues), feeBps: count, spacing: maybe(count) };
const route = { ...pool, router: text, bridge: maybe(v.strictObject({ ...pool, token: text })) };
const block = { number: count, hash: text };

const swap = v.strictObject({
  purpose: v.literal("swap"),
  ...route,
  side: v.picklist(orderSides),
  token: text,
  recipient: text,
  value: units,
  amountIn: units,
  minAmountOut: units,
  deadline: count,
  hasRefund: v.boolean(),
});

const approval = v.strictObject({ purpose: v.literal("approve"), token: text, router: text, amount: units });

const nonceText = v.pipe(v.string(), v.regex(/^(?:0|[1-9]\d{0,15})$/));

const feesByNonce = v.pipe(
  v.custom<object>((value) => !Array.isArray(value)),
  v.record(nonceText, v.strictObject({ ...fees, most: units })),
);

const receipt = {
  hash: text,
  block: v.strictObject({ ...block, time: count }),
  fee: units,
  l1Fee: units,
  gasUsed: units,
  gasPrice: units,
};

const intent = v.strictObject({
  ...evmOwner,
  orderId: text,
  side: v.picklist(orderSides),
  token: text,
  amount: units,
  minAmountOut: units,
  quotedOut: units,
  routes: v.pipe(v.array(v.strictObject(route)), v.maxLength(10)),
  gasLimit: gas,
  approvalGas: units,
  maxGasPrice: units,
  gasPreset: v.picklist(gasPresets),
  isPrivate: v.boolean(),
  nextNonce: count,
  validUntil: count,
});

const solFees = {
  signatures: count,
  computeUnitLimit: count,
  microLamportsPerUnit: units,
  tipLamports: units,
};

const solReceipt = {
  hash: text,
  block: v.strictObject({ ...block, time: count }),
  fee: units,
  tip: units,
  rent: v.bigint(),
  computeUnits: v.exactOptional(count),
};

const solRoute = v.variant("venue", [
  v.strictObject({ venue: v.literal("raydium-cpmm"), pool: text, config: text }),
  v.strictObject({ venue: v.literal("jupiter-metis") }),
]);

const solIntent = v.strictObject({
  ...{ ...owner, chain: v.literal("sol") },
  orderId: text,
  side: v.picklist(orderSides),
  token: text,
  amount: units,
  minAmountOut: units,
  quotedOut: units,
  isPrivate: v.boolean(),
  validUntil: count,
  tokenProgram: text,
  routes: v.pipe(v.array(solRoute), v.maxLength(10)),
  budgetLamports: units,
});

const life = v.strictObject({
  status: v.picklist(["open", "filled", "cancelled", "rejected", "expired"]),
  stage: v.picklist(orderStages),
  settled: v.boolean(),
  networkFee: units,
  rent: maybe(v.bigint()),
  spent: units,
  received: maybe(units),
  txHash: maybe(text),
  reasonCode: maybe(v.picklist(reasonCodes)),
});

const ending = v.strictObject({
  status: v.picklist(["cancelled", "rejected", "expired"]),
  reasonCode: v.picklist(reasonCodes),
  soldOutAt: maybe(count),
  soldOutIn: maybe(v.pipe(v.array(v.strictObject(block)), v.maxLength(10))),
});

const policy = v.strictObject({
  maxPerOrder: maybe(units),
  maxPerDay: maybe(units),
  maxNetworkFeesPerDay: maybe(units),
  tokens: v.union([v.literal("any"), v.array(text)]),
  maxSlippage: maybe(units),
  anyLoss: maybe(v.literal(true)),
  tradingEnabled: v.boolean(),
});

const order = {
  mac: text,
  placed: v.strictObject({
    clientOrderId: text,
    symbol: text,
    baseSymbol: maybe(text),
    decimals: count,
    slippage: maybe(v.number()),
    percent: maybe(v.number()),
    createdAt: text,
  }),
  quoted: v.strictObject({
    priceImpact: maybe(v.number()),
    marketImpact: maybe(v.number()),
    pools: maybe(v.pipe(v.array(v.pipe(v.array(text), v.maxLength(2))), v.maxLength(10))),
    feesBps: maybe(v.pipe(v.array(v.number()), v.maxLength(10))),
    networkFee: units,
    rents: maybe(units),
    stayingRents: maybe(units),
  }),
  amount: units,
  isCancelling: v.boolean(),
  ending: maybe(ending),
  life,
  // The signer does not read it.
  details: maybe(v.any()),
  revision: count,
  version: count,
  updatedAt: text,
};

const evmSlot = v.strictObject({
  ...evmOwner,
  place: count,
  orderId: text,
  state: v.picklist(["planned", "signed", "mined", "taken"]),
  call: v.variant("purpose", [swap, approval]),
  fees: v.strictObject(fees),
  gasLimit: gas,
  isPrivate: v.boolean(),
  held: maybe(units),
  allowance: maybe(units),
  attempts: v.pipe(
    v.array(
      v.strictObject({
        ...fees,
        purpose: v.picklist(["swap", "approve", "clear"]),
        hash: text,
        gasLimit: gas,
        signedAtMs: count,
        sentAtMs: v.optional(count),
      }),
    ),
    v.maxLength(1000),
  ),
  isUndelivered: maybe(v.boolean()),
  refusal: v.optional(v.picklist(["underpriced", "unfunded"])),
  receipt: maybe(
    v.variant("status", [
      v.strictObject({ ...receipt, status: v.literal("failed"), isSlippage: v.boolean() }),
      v.strictObject({
        ...receipt,
        status: v.literal("ok"),
        spent: units,
        received: units,
        moved: maybe(units),
        isAgreed: maybe(v.literal(true)),
      }),
    ]),
  ),
  takenIn: maybe(v.pipe(v.array(v.strictObject(block)), v.maxLength(10))),
  revision: count,
});

const solSlot = v.strictObject({
  ...owner,
  place: count,
  orderId: text,
  state: v.picklist(["signed", "mined", "lapsed"]),
  isPrivate: v.boolean(),
  attempts: v.pipe(
    v.array(
      v.strictObject({
        ...solFees,
        purpose: v.picklist(["swap", "clear"]),
        hash: text,
        lastValidBlockHeight: count,
        amountIn: maybe(units),
        route: maybe(solRoute),
        signedAtMs: count,
        sentAtMs: v.optional(count),
      }),
    ),
    v.maxLength(mostAttempts + mostClears),
  ),
  isUndelivered: maybe(v.boolean()),
  receipts: v.pipe(
    v.array(
      v.variant("status", [
        v.strictObject({ ...solReceipt, status: v.literal("failed"), isSlippage: v.boolean() }),
        v.strictObject({
          ...solReceipt,
          status: v.literal("ok"),
          spent: units,
          received: units,
          held: units,
        }),
      ]),
    ),
    v.maxLength(mostAttempts + mostClears),
  ),
  revision: count,
});

const ledger = { ...owner, orderId: text, validUntil: count, revision: count };

/**
 * The items on which the signer decides. Functions that may be compromised can write some of them, so no other form is
 * accepted: no text in place of a number, no unknown field, no set, and nothing endless.
 */
const schemas = {
  order: v.union([
    v.strictObject({
      intent,
      ...order,
      approveNonces: v.pipe(v.array(count), v.maxLength(100)),
      swapNonce: v.optional(count),
    }),
    v.strictObject({ intent: solIntent, ...order }),
  ]),
  slot: v.union([evmSlot, solSlot]),
  ledger: v.union([
    v.strictObject({
      ...ledger,
      approveNonces: v.array(count),
      fees: feesByNonce,
      swap: maybe(v.strictObject({ nonce: count, call: swap })),
    }),
    v.strictObject({
      ...ledger,
      messages: v.pipe(
        v.array(
          v.strictObject({
            purpose: v.picklist(["swap", "clear"]),
            hash: text,
            signatures: count,
            mostFeeLamports: units,
          }),
        ),
        v.maxLength(mostAttempts + mostClears),
      ),
    }),
  ]),
  policy: v.strictObject({
    ...owner,
    policy,
    pending: maybe(
      v.strictObject({ policy, effectiveAt: v.pipe(text, v.isoTimestamp()), tableId: maybe(text) }),
    ),
    revision: count,
  }),
  day: v.strictObject({
    ...owner,
    day: text,
    spent: units,
    networkFees: maybe(units),
    newestOrderId: maybe(text),
    revision: count,
    expiresAt: count,
  }),
} satisfies { [K in keyof Items]?: v.GenericSchema<unknown, Items[K]> };

export type SigningKind = keyof typeof schemas;

/** The items as the schemas know them. */
export type ParsedItems = { [K in SigningKind]: v.InferOutput<(typeof schemas)[K]> };

/**
 * Decodes a stored item for the signer.
 *
 * @throws {InvalidItem}
 */
export function parsed<K extends SigningKind>(kind: K, item: Item<object>): Items[K] {
  try {
    return v.parse(schemas[kind] as unknown as v.GenericSchema<unknown, Items[K]>, contentOf(kind, item));
  } catch {
    throw new InvalidItem(kind);
  }
}
