import type { Sol } from "../../../lib/chains/sol/rules/family.ts";
import type { SolOrderFacts, SolReceipt, SolSnapshot } from "../../../lib/chains/sol/rules/host-snapshot.ts";
import type { CpmmRoute, JupiterRoute, SolIntent } from "../../../lib/chains/sol/rules/intent.ts";
import type { SolLimits } from "../../../lib/chains/sol/rules/limits.ts";
import type { JupiterBuild } from "../../../lib/chains/sol/rules/message-route.ts";
import type { SolAttempt, SolSlot } from "../../../lib/chains/sol/rules/slot.ts";
import { solSlots } from "../../../lib/chains/sol/rules/slot-rules.ts";
import type { LaneView } from "../../../lib/orders/effects.ts";
import type { LaneState } from "../../../lib/orders/lane-core.ts";
import { type TradeOrder, unstarted } from "../../../lib/orders/trade-order.ts";

type Receipt<Status> = Extract<SolReceipt, { status: Status }>;

export const nowMs = Date.UTC(2026, 10, 21, 20);

const lane = { chain: "sol", wallet: "A1" } as const;

export const route: CpmmRoute = { venue: "raydium-cpmm", pool: "pool", config: "config" };

export const jupiterRoute: JupiterRoute = { venue: "jupiter-metis" };

export const buildBy = (helper: string): JupiterBuild => ({
  helper,
  sourceDecimals: 9,
  accounts: [],
  data: "",
});

export const limits: SolLimits = { maxNetworkFee: 1_000_000n, baseFeeLamports: 5000n };

export const withRelay: SolLimits = { ...limits, relay: { tipAccounts: ["tips"], leastTipLamports: 1000n } };

export const intentOf = (changes: Partial<SolIntent> = {}): SolIntent => ({
  ...lane,
  userID: "alice",
  orderId: "order1",
  side: "buy",
  token: "MOON",
  amount: 1_000_000n,
  minAmountOut: 80n,
  quotedOut: 100n,
  isPrivate: false,
  createdAt: nowMs,
  validUntil: nowMs / 1000 + 60,
  tokenProgram: "Token",
  routes: [route],
  budgetLamports: 100_000n,
  ...changes,
});

export const orderOf = (
  changes: Partial<TradeOrder<Sol>> = {},
  intent: Partial<SolIntent> = {},
): TradeOrder<Sol> => ({
  intent: intentOf(intent),
  mac: "mac",
  placed: {
    clientOrderId: "client1",
    symbol: "MOON/SOL",
    decimals: 6,
    createdAt: "2026-11-21T20:00:00.000Z",
  },
  quoted: { networkFee: 0n },
  amount: intentOf(intent).amount,
  isCancelling: false,
  life: unstarted,
  revision: 1,
  version: 1,
  updatedAt: "2026-11-21T20:00:00.000Z",
  ...changes,
});

export const attemptOf = (hash: string, changes: Partial<SolAttempt> = {}): SolAttempt => ({
  purpose: "swap",
  hash,
  lastValidBlockHeight: 250,
  signatures: 1,
  computeUnitLimit: 100_000,
  microLamportsPerUnit: 200_000n,
  tipLamports: 0n,
  amountIn: 1_000_000n,
  signedAtMs: nowMs,
  ...changes,
});

export const slotOf = (changes: Partial<SolSlot> = {}): SolSlot => ({
  ...lane,
  place: 1,
  orderId: "order1",
  userID: "alice",
  state: "signed",
  isPrivate: false,
  attempts: [attemptOf("a")],
  receipts: [],
  revision: 1,
  ...changes,
});

const block = { number: 120, hash: "120", time: nowMs / 1000 };

export const filled = (hash: string, changes: Partial<Receipt<"ok">> = {}): SolReceipt => ({
  hash,
  block,
  fee: 25_000n,
  tip: 0n,
  rent: 897_840n,
  computeUnits: 90_000,
  status: "ok",
  spent: 1_000_000n,
  received: 90n,
  held: 0n,
  ...changes,
});

export const failed = (hash: string, changes: Partial<Receipt<"failed">> = {}): SolReceipt => ({
  hash,
  block,
  fee: 25_000n,
  tip: 0n,
  rent: 0n,
  computeUnits: 90_000,
  status: "failed",
  isSlippage: true,
  ...changes,
});

/** Receipts as one host has seen them. */
export const seen = (receipts: readonly SolReceipt[]): ReadonlyMap<string, SolReceipt> =>
  new Map(receipts.map((receipt) => [receipt.hash, receipt]));

export const factsOf = (changes: Partial<SolOrderFacts> = {}): SolOrderFacts => ({
  routes: [{ ...route, amountOut: 100n }],
  computeUnitLimit: 100_000,
  baseFeeLamports: 5000n,
  rents: { marker: 897_840n, wsol: 2_039_280n, token: 2_039_280n, market: 0n },
  ...changes,
});

/** A host at block height 131 that knows nothing of the order's messages. */
export const snapshotOf = (changes: Partial<SolSnapshot> = {}): SolSnapshot => ({
  height: { slot: 151, blockHeight: 131 },
  coins: 1_000_000_000n,
  rentLamports: { marker: 897_840n },
  blockhash: { hash: "hash", lastValidBlockHeight: 281 },
  orders: new Map([["order1", factsOf()]]),
  receipts: new Map(),
  markers: new Map([["order1", false]]),
  ...changes,
});

/** Applies the same changes to both hosts. */
export const bothHosts = (changes: Partial<SolSnapshot> = {}) =>
  [snapshotOf(changes), snapshotOf(changes)] as const;

/** A host at this block height. */
export const heightAt = (blockHeight: number): Pick<SolSnapshot, "height"> => ({
  height: { slot: blockHeight + 20, blockHeight },
});

export const viewOf = (changes: Partial<LaneView<Sol>> = {}): LaneView<Sol> => ({
  lane: { ...lane, holder: "run", jobs: 1 },
  jobs: [{ ...lane, orderId: "order1", userID: "alice", token: "MOON" }],
  slots: [],
  orders: [orderOf()],
  books: [],
  isStopped: false,
  retired: new Set(),
  cancelled: new Set(),
  maxGasPrices: new Map(),
  limits: new Map(),
  bytes: new Map(),
  ...changes,
});

export const stateOf = (changes: Partial<LaneState<Sol>> = {}): LaneState<Sol> => ({
  view: viewOf(),
  rules: solSlots,
  snapshots: bothHosts(),
  nowMs,
  holder: "run",
  sendings: new Map(),
  isPatient: false,
  chainLimits: limits,
  ...changes,
});
