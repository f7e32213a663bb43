import type { SolSetup } from "../../../../lib/chains/sol/rules/check-trade.ts";
import type { Sol } from "../../../../lib/chains/sol/rules/family.ts";
import type { SolTradeFacts } from "../../../../lib/chains/sol/rules/trade-facts.ts";
import { DomainError } from "../../../../lib/core/domain-error.ts";
import type { PlacingView } from "../../../../lib/orders/effects.ts";
import { openPolicy, type WalletPolicy } from "../../../../lib/orders/wallet-policy.ts";
import { type PlaceRequest, placing, type trying } from "../../../../lib/trading/procedures/placing.ts";
import { playPlacing, type Results } from "../../../support/play-placing.ts";
import { solFacts, solMint, solRoute } from "../../../support/sol-facts.ts";
import { noLimits } from "../../../support/trading.ts";

export const createdAt = "2026-11-21T20:00:00.000Z";
export const [userID, wallet] = ["alice", "A1"];

export type Changes = Partial<Omit<PlaceRequest, "trade">> & { trade?: Partial<PlaceRequest["trade"]> };

export const setup: SolSetup = {
  chain: "sol",
  name: "setup",
  listed: [],
  baseFeeCap: 10_000n,
  leastTip: 100_000n,
  limits: { maxNetworkFee: 50_000_000n, baseFeeLamports: 10_000n },
};

/** Requests to buy MOON for one coin. */
export const request = ({ trade, ...changes }: Changes = {}): PlaceRequest => ({
  chain: "sol",
  wallet,
  userID,
  orderId: "o1",
  key: "k-1",
  fingerprint: "body",
  tableId: "table",
  createdAt,
  mayLose: true,
  trade: { side: "buy", token: solMint, amount: "1", ...trade },
  setup,
  ...changes,
});
export const sale = { side: "sell", amount: "1" } as const;

export const view = (changes: Partial<PlacingView<Sol>> = {}): PlacingView<Sol> => ({
  used: undefined,
  order: undefined,
  hasWallet: true,
  laneOrders: [],
  jobs: undefined,
  settings: { slippage: 1, priorityFee: 0.001, mevProtection: true },
  isStopped: false,
  cutoffs: {},
  limits: noLimits,
  ...changes,
});

/** Returns a view of a wallet with a policy. */
export const viewWith = (changes: Partial<WalletPolicy>) => {
  const stored = {
    chain: "sol",
    wallet,
    userID,
    policy: { ...openPolicy, ...changes },
    revision: 1,
  } as const;
  return view({ limits: { stored, count: undefined } });
};

export const facts = (changes: Partial<SolTradeFacts> = {}): SolTradeFacts => ({ ...solFacts, ...changes });
/** Returns facts with these routes. The first route's output is also the quoted output. */
export const paying = (first: bigint, ...others: readonly [pool: string, amountOut: bigint][]) =>
  facts({
    amountOut: first,
    routes: [solRoute("a", first), ...others.map(([pool, amountOut]) => solRoute(pool, amountOut))],
  });
export const both = (changes: Partial<SolTradeFacts> = {}) => [[facts(changes), facts(changes)]] as const;
/** Facts about a sale of one token for one coin. */
export const ofSale = {
  amount: 1_000_000n,
  amountOut: 10n ** 9n,
  routes: [solRoute("a", 10n ** 9n)] as const,
};

export type Scene = Results<Sol> & { of?: PlaceRequest };

export const play = (
  { views = [view()], quotes = both(), written }: Scene,
  procedure: ReturnType<typeof placing | typeof trying>,
) => playPlacing(procedure, { views, quotes, written });
export const place = (scene: Scene = {}) => play(scene, placing(scene.of ?? request()));

export const used = { userID, key: "k-1", orderId: "order1", fingerprint: "body" };
export const refusal = (code: "NO_ROUTE" | "TOKEN_NOT_FOUND" | "AMOUNT_TOO_SMALL") =>
  new DomainError(code, code);
