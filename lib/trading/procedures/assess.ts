import { DomainError } from "../../core/domain-error.ts";
import { dayOf } from "../../core/time.ts";
import type { AutomaticLimits } from "../../orders/automatic-buy.ts";
import { coinUnitsFrom } from "../../orders/decimal-text.ts";
import { type PlacingView, type Procedure, perform } from "../../orders/effects.ts";
import type { FamilyTypes, HostAnswers, TraderTerms } from "../../orders/family.ts";
import type { LaneKey } from "../../orders/intent.ts";
import { objectionToTrading, objectionToWallet } from "../../orders/order-checks.ts";
import type { Assessed, PlacingFamily } from "../../orders/placing-family.ts";
import type { KeyRules } from "../../orders/program-limits.ts";
import { walletNotFound } from "../../orders/requests.ts";
import { keyRulesBeside, rulesBeside } from "../../orders/reserved.ts";
import { objectionToSlices } from "../../orders/resting/terms.ts";
import type { AskedTrade } from "../../orders/trade.ts";
import { openOrdersOf } from "../../orders/trade-check.ts";
import { type DayFeeLimits, type OrderRules, rulesAtRest } from "../../orders/wallet-policy.ts";

export type TradeRequest<Trade extends AskedTrade = AskedTrade> = LaneKey & {
  userID: string;
  trade: Trade;
  /** Time of the request, in ISO 8601. */
  createdAt: string;
  /** The chain, or the reason why the deployment does not trade on it. */
  setup: FamilyTypes["setup"] | DomainError<"UNSUPPORTED_CHAIN">;
  /** Output that the minimum is compared with. By default the quoted one. */
  quotedOut?: bigint;
  /** What a preset demands of the token of an automatic buy. */
  automatic?: AutomaticLimits;
  /** Number of exits for whose sales coin must stay. By default, that of the trade. */
  exits?: number;
  /** True for a buy that names no exits, so that it gets those of the preset. */
  lacksExits?: boolean;
  /** Number of equal parts in which an order trades. */
  slices?: number;
  /** The program key by which a program places the order. Absent for requests of users. */
  by?: string | undefined;
} & Pick<TraderTerms, "mayLose" | "isChild" | "rests">;

/** `CHAIN_UNAVAILABLE` means that no two hosts agree. */
export type PlacingRefusal = DomainError | "CHAIN_UNAVAILABLE";

export type AssessAnswer = Assessed | { refused: PlacingRefusal };

export const readView = (
  { chain, wallet, userID, createdAt, rests, automatic, lacksExits, trade, by }: TradeRequest,
  key?: string,
) =>
  perform({
    do: "readPlacing",
    lane: { chain, wallet },
    day: dayOf(Date.parse(createdAt)),
    userID,
    by,
    ...(key !== undefined && { key }),
    ...(rests && { rests }),
    ...(automatic && { automatic: trade.token }),
    ...(lacksExits && { lacksExits }),
  });

/** Runs all checks in their order of precedence, starting with those that do not query the chain. */
export function* assess(
  family: PlacingFamily,
  request: TradeRequest,
  view: PlacingView,
  known?: FamilyTypes["facts"],
): Procedure<AssessAnswer> {
  const { trade, setup, mayLose, isChild, rests, quotedOut, slices = 1 } = request;
  const early = objectionTo(request, view);
  const { laneOrders: orders, settings } = view;
  if (early !== undefined || setup instanceof DomainError) return { refused: early ?? "CHAIN_UNAVAILABLE" };
  const rules = rulesFor(request, view, setup.limits);
  const keyRules = keyRulesFor(request, view);
  const { isStopped } = view;
  const { exits = trade.exits?.length ?? 0 } = request;
  const trader = { orders, settings, rules, keyRules, mayLose, isChild, rests, exits, isStopped };
  const question = family.questionAbout(request, trade, trader);
  const answers: HostAnswers = known ? [known, known] : yield* perform({ do: "quote", question });
  const [a, b] = answers;
  const quotes: HostAnswers = rests ? [family.byOwnPools(a), family.byOwnPools(b)] : answers;
  const facts = family.jointAnswer(quotes, question);
  if (facts === undefined) return { refused: "CHAIN_UNAVAILABLE" };
  if (facts instanceof DomainError) return { refused: facts };
  const [check, ...others] = [facts, ...(quotes as readonly FamilyTypes["facts"][])].map((quote) =>
    family.check(setup, trade, trader, {
      ...quote,
      ...(quotedOut !== undefined && { amountOut: quotedOut }),
    }),
  ) as [FamilyTypes["check"], ...FamilyTypes["check"][]];
  const tooSmall =
    slices > 1 ? objectionToSlices({ ...trade, slices }, facts, check.networkFee.expected) : undefined;
  if (tooSmall !== undefined) return { refused: tooSmall };
  // Ignores an objection that is based on the facts of only one host, because they may be wrong.
  const [objection] = [check, ...others].flatMap((each) => each.objection ?? []);
  if (objection !== undefined) return { refused: objection };
  return { setup, facts, check, ...(known === undefined && { quotes }) };
}

function rulesFor(
  { userID, createdAt, rests }: TradeRequest,
  { limits, laneOrders }: PlacingView,
  chainLimits: DayFeeLimits,
): OrderRules {
  const rules = rulesBeside(limits, laneOrders, { userID, nowMs: Date.parse(createdAt), chainLimits });
  return rests ? rulesAtRest(rules) : rules;
}

function keyRulesFor(
  { rests, createdAt, ...request }: TradeRequest,
  { program, laneOrders }: PlacingView,
): KeyRules | undefined {
  const rules = keyRulesBeside(program, laneOrders, { ...request, nowMs: Date.parse(createdAt) });
  // The day's limit applies to the children of a resting order.
  return rules && rests ? { ...rules, spent: undefined } : rules;
}

function objectionTo(request: TradeRequest, view: PlacingView): DomainError | undefined {
  const { trade, setup, isChild } = request;
  const stopped = objectionToTrading(view);
  if (stopped !== undefined) return stopped;
  if (setup instanceof DomainError) return setup;
  if (!view.hasWallet) return walletNotFound(setup.chain);
  const { side, token } = trade;
  const amount =
    side === "sell" || trade.amount === undefined
      ? undefined
      : coinUnitsFrom(setup.chain, trade.amount, "amount");
  return objectionToWallet({
    chain: setup.chain,
    side,
    token,
    amount,
    // Excludes the network fee, because only hosts know it.
    adds: amount,
    openOrders: openOrdersOf({ orders: view.laneOrders, isChild }),
    maxOrder: setup.limits.maxOrder,
    rules: rulesFor(request, view, setup.limits),
    keyRules: keyRulesFor(request, view),
  });
}
