import type { Evm } from "../../lib/chains/evm/rules/family.ts";
import type { EvmOrderFacts, EvmRouteFacts, EvmSnapshot } from "../../lib/chains/evm/rules/host-snapshot.ts";
import type { EvmAttempt } from "../../lib/chains/evm/rules/slot.ts";
import { evmSlots } from "../../lib/chains/evm/rules/slot-rules.ts";
import type { LaneView } from "../../lib/orders/effects.ts";
import type { LaneState } from "../../lib/orders/lane-core.ts";
import type { TradeOrder } from "../../lib/orders/trade-order.ts";
import { intent, slot, tradeOrder, v2, wideLimits } from "./trading.ts";

export const gwei = 1_000_000_000n;

/** Time of a block before the order's deadline, in seconds. */
export const seconds = Date.parse("2026-11-21T20:00:05.000Z") / 1000;

/** Builds a host's facts about a route with these changes. */
export const routeFacts = (changes: Partial<EvmRouteFacts> = {}): EvmRouteFacts => ({
  ...v2,
  amountOut: 4_960n * 10n ** 18n,
  networkFee: 0n,
  gasLimit: { approve: 90_000n, swap: 134_415n },
  l1Fee: { approve: 0n, swap: 0n },
  allowance: 0n,
  wantsZeroFirst: false,
  ...changes,
});

/** Builds a host's facts about a buy on Uniswap v2 with these changes. */
export const orderFacts = (changes: Partial<EvmOrderFacts> = {}): EvmOrderFacts => ({
  fees: { maxFeePerGas: 2n * gwei, maxPriorityFeePerGas: gwei / 10n },
  isListed: true,
  routes: [routeFacts()],
  ...changes,
});

/** Builds a host's snapshot of a wallet and its order with these changes. */
export const snapshot = (
  facts: EvmOrderFacts | undefined,
  changes: Partial<EvmSnapshot> = {},
): EvmSnapshot => ({
  latest: { number: 100, hash: "0xb100", time: seconds },
  finalized: { number: 36, hash: "0xb36", time: seconds - 700 },
  nonce: { latest: 7, pending: 7 },
  coins: 10n ** 19n,
  baseFee: gwei,
  clearFees: { maxFeePerGas: 2n * gwei, maxPriorityFeePerGas: gwei / 10n },
  clearL1Fee: 0n,
  orders: new Map(facts ? [[intent().orderId, facts]] : []),
  blocks: new Map(),
  receipts: new Map(),
  ...changes,
});

/** Builds the view of a lane with one order and these changes. */
export const laneView = (order: TradeOrder<Evm>, changes: Partial<LaneView<Evm>> = {}): LaneView<Evm> => {
  const { chain, wallet, orderId, userID, token, maxGasPrice } = order.intent;
  return {
    lane: { chain, wallet, jobs: 1 },
    jobs: [{ chain, wallet, orderId, userID, token }],
    slots: [],
    orders: [order],
    books: [],
    retired: new Set(),
    cancelled: new Set(),
    bytes: new Map([["0x1", "0xraw"]]),
    maxGasPrices: new Map([[userID, maxGasPrice]]),
    limits: new Map(),
    isStopped: false,
    ...changes,
  };
};

/** Builds the state that a run of a lane sees with these changes. */
export const laneStateOf = (view: LaneView<Evm>, changes: Partial<LaneState<Evm>>): LaneState<Evm> => ({
  view,
  rules: evmSlots,
  holder: "me",
  nowMs: seconds * 1000,
  snapshots: [undefined, undefined],
  sendings: new Map(),
  isPatient: false,
  chainLimits: wideLimits,
  ...changes,
});

/** Builds a signed swap with these changes. */
export const attempt = (changes: Partial<EvmAttempt> = {}): EvmAttempt => ({
  maxFeePerGas: 2n * gwei,
  maxPriorityFeePerGas: gwei,
  purpose: "swap",
  hash: "0x1",
  gasLimit: 134_415n,
  signedAtMs: 0,
  sentAtMs: 1,
  ...changes,
});

/** Builds an order with a signed swap and its slot. */
export function signedOrder({
  order: orderChanges = {},
  attempt: attemptChanges = {},
}: {
  order?: Partial<TradeOrder<Evm>>;
  attempt?: Partial<EvmAttempt>;
} = {}) {
  const life = { ...tradeOrder().life, stage: "sent", txHash: "0x1" } as const;
  const order = tradeOrder({ swapNonce: 7, life, ...orderChanges });
  const signed = attempt(attemptChanges);
  const { maxFeePerGas, maxPriorityFeePerGas } = signed;
  const fees = { maxFeePerGas, maxPriorityFeePerGas };
  const of = slot({ state: "signed", isUndelivered: false, fees, attempts: [signed] }, order.intent);
  return { order, slot: of };
}
