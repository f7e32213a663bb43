import type { EvmSetup } from "../../lib/chains/evm/rules/check-trade.ts";
import type { EvmRouteFacts, EvmSnapshot } from "../../lib/chains/evm/rules/host-snapshot.ts";
import { type EvmIntent, isSameEvmRoute } from "../../lib/chains/evm/rules/intent.ts";
import { ranked } from "../../lib/chains/evm/rules/route-choice.ts";
import type {
  EvmHostQuote,
  EvmQuotedRoute,
  EvmQuoteQuestion,
  EvmTradeFacts,
} from "../../lib/chains/evm/rules/trade-facts.ts";
import { DomainError } from "../../lib/core/domain-error.ts";
import { formatAmount, unitsFrom } from "../../lib/orders/decimal-text.ts";
import type { FamilyTypes } from "../../lib/orders/family.ts";
import { unknownSafety } from "../../lib/orders/token-safety.ts";
import type { PlacingRefusal } from "../../lib/trading/procedures/assess.ts";
import type { PlaceRequest } from "../../lib/trading/procedures/placing.ts";
import { poolRoutes } from "../trading/model/ledger-state.ts";
import { intent, v2, wideLimits } from "./trading.ts";

/** A request in units, wei and seconds on eth, for a token with 18 decimals. */
export type PlainRequest = Pick<EvmIntent, "wallet" | "orderId" | "userID" | "side" | "token" | "amount"> &
  Pick<EvmIntent, "maxGasPrice" | "gasPreset" | "isPrivate" | "validUntil"> & {
    key: string;
    fingerprint: string;
    /** Slippage in percent. */
    slippage: number;
    nowMs: number;
    limits?: EvmSetup["limits"];
    /** The program key by which the order is placed. */
    by?: string;
  };

const decimals = 18;

/** Name of the chain configuration in tests. */
export const setupName = "setup";

export const weiInGwei = 1e9;

const setupOf = ({ limits = wideLimits }: PlainRequest): EvmSetup => ({
  chain: "eth",
  hasRelay: true,
  limits,
  listed: [],
  name: setupName,
});

export const placeRequest = (plain: PlainRequest): PlaceRequest => ({
  chain: "eth",
  wallet: plain.wallet,
  userID: plain.userID,
  orderId: plain.orderId,
  key: plain.key,
  fingerprint: plain.fingerprint,
  tableId: "table",
  trade: {
    side: plain.side,
    token: plain.token,
    amount: formatAmount(plain.amount, decimals),
    slippage: plain.slippage,
    gasPreset: plain.gasPreset,
    maxGasPrice: Number(plain.maxGasPrice) / weiInGwei,
    mevProtection: plain.isPrivate,
    // Accepts any price impact, because the pools of test chains are shallow.
    maxPriceImpact: 100,
    validForSeconds: plain.validUntil - Math.floor(plain.nowMs / 1000),
  },
  setup: setupOf(plain),
  mayLose: true,
  createdAt: new Date(plain.nowMs).toISOString(),
  by: plain.by,
});

export const codeOf = (refused: PlacingRefusal): string =>
  refused instanceof DomainError ? refused.code : refused;

/** Builds the draft order with which hosts are queried about a trade. */
export function draftOf(question: FamilyTypes["quoteQuestion"]): EvmIntent {
  const { chain, wallet, trade, gasPreset } = question as EvmQuoteQuestion;
  return intent({
    chain,
    wallet,
    side: trade.side,
    token: trade.token,
    amount: unitsFrom(trade.amount ?? "", decimals, "amount"),
    gasPreset,
    routes: poolRoutes,
  });
}

/** Computes a host's quote from its snapshot of the draft. */
export function quoteFrom(snapshot: EvmSnapshot | undefined, draft: EvmIntent): EvmHostQuote {
  const facts = snapshot?.orders.get(draft.orderId);
  if (snapshot === undefined || facts === undefined) return undefined;
  const trade = { side: draft.side, amountIn: draft.amount, isListed: true };
  const routes = ranked(facts.routes, trade).map(({ venue, feeBps, router, amountOut, networkFee }) => ({
    venue,
    feeBps,
    router,
    amountOut,
    networkFee,
    pool: router,
    deepOut: amountOut,
    quoted: amountOut,
    isGuess: false,
  }));
  const [best, ...others] = routes;
  if (best === undefined) return new DomainError("NO_ROUTE", "No pool delivers");
  return {
    block: snapshot.latest,
    identity: { ...identity, token: draft.token, symbol: draft.token, name: draft.token },
    amount: draft.amount,
    amountOut: best.amountOut,
    priceImpact: 0,
    routes: [best, ...others],
    transactions: transactionsOf(
      draft,
      facts.routes.find((route) => isSameEvmRoute(route, best)) as EvmRouteFacts,
    ),
    fees: facts.fees,
    baseFee: snapshot.baseFee,
    safety: unknownSafety,
    flags: [],
    liquidity: 0n,
    held: { coins: snapshot.coins, tokens: facts.held ?? 0n },
    nextNonce: snapshot.nonce.latest,
    forPlanning: { ...snapshot, order: facts },
  };
}

const identity = { decimals, isListed: true, isImpersonator: false, isOdd: false };

function transactionsOf({ side, amount }: EvmIntent, facts: EvmRouteFacts) {
  const { allowance, wantsZeroFirst } = facts;
  const approvals = side === "buy" || allowance >= amount ? 0 : wantsZeroFirst && allowance > 0n ? 2 : 1;
  const planned = (purpose: "approve" | "swap") => ({
    estimate: facts.gasLimit[purpose],
    gasLimit: facts.gasLimit[purpose],
    l1Fee: facts.l1Fee[purpose],
  });
  return [...Array.from({ length: approvals }, () => planned("approve")), planned("swap")];
}

/** Builds a quoted route with these changes. */
export const quotedRoute = (changes: Partial<EvmQuotedRoute> = {}): EvmQuotedRoute => ({
  ...v2,
  pool: "0x",
  amountOut: 5000n,
  deepOut: 20_000n,
  networkFee: 0n,
  isGuess: false,
  quoted: changes.amountOut ?? 5000n,
  ...changes,
});

/** Builds a host's facts about an acceptable buy with these changes. */
export const tradeFacts = (changes: Partial<EvmTradeFacts> = {}): EvmTradeFacts => ({
  block: { number: 1, time: 1 },
  identity: { ...identity, token: intent().token, symbol: "MOON", name: "Moon" },
  amount: 1000n,
  amountOut: 5000n,
  priceImpact: 0.5,
  routes: [quotedRoute()],
  transactions: [{ estimate: 100n, gasLimit: 100n, l1Fee: 0n }],
  fees: { maxFeePerGas: 2n, maxPriorityFeePerGas: 1n },
  baseFee: 1n,
  safety: { sellable: true, buyTax: 0, sellTax: 0, hasLoss: false },
  flags: [],
  liquidity: 100n,
  held: { coins: 1200n, tokens: 900n },
  nextNonce: 7,
  ...changes,
});
