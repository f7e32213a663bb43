import type { Address } from "@solana/web3.js";
import { greatest } from "../../../orders/bigints.ts";
import { coinUnitsFrom } from "../../../orders/decimal-text.ts";
import { type Ask, askTogether } from "../../hosts/ask-together.ts";
import type { confirming } from "../calls/blockhash-exchange.ts";
import type { Simulation } from "../calls/rpc-call.ts";
import type { Payment, TokenView } from "../calls/token-view.ts";
import type { RecentBlockhash } from "../calls/transaction-call.ts";
import { isSoldIn, type Trial } from "../messages/trial-messages.ts";
import { payingByPool, type SolWalletFacts } from "../rules/host-snapshot.ts";
import type { PoolMessageRoute } from "../rules/message-route.ts";
import type { SolCosts } from "../rules/trade-facts.ts";
import { leastMarketPrice, medianOf, unitLimitFor } from "../rules/trade-fees.ts";
import type { SolReader } from "../venues/reader.ts";
import { earlyAnswers, type SolLook, type TrialMemory } from "./early-trial.ts";
import { lackingRent } from "./look-at-token.ts";
import { type AskedTrial, areCleanAnswers, baseFeeCalls, tradeTrialOf, trialCalls } from "./trade-trial.ts";
import { baseFeeIn, type QuoteTrial, quoteCalls, type ShownByTrial, shownIn } from "./try-jupiter.ts";

/**
 * Finds an account with which hosts can simulate the trade. Any account can pay for a purchase, but only a holder of
 * the token can sell it.
 */
export function testerOf(
  { payer }: SolReader["configuration"],
  { holding }: TokenView,
  { side, amount, trial, wallet }: AskedTrial,
): Address | undefined {
  const isAble = holding !== undefined && canTry(holding, side, amount, trial.rents);
  if (isAble) return wallet;
  return side === "buy" ? (payer as Address | undefined) : undefined;
}

/** True if a wallet can pay for a simulated trade, apart from its fee. */
function canTry(
  { lamports, units }: NonNullable<TokenView["holding"]>,
  side: "buy" | "sell",
  amount: bigint,
  { marker, wsol }: Trial["rents"],
): boolean {
  const rents = 2n * wsol + marker;
  return side === "buy" ? lamports > amount + rents : units >= amount && lamports > wsol + marker;
}

type Costs = SolCosts & {
  sold: boolean | null;
  shown: ShownByTrial | undefined;
  /** The route of the pool by which the wallet's own trade has succeeded, and the compute units that it needs. */
  tried: { routed: PoolMessageRoute; computeUnitLimit: number } | undefined;
  agreed: RecentBlockhash | undefined;
};

/**
 * Asks for the costs of an attempt, for simulations of Jupiter's swaps, for a simulation that shows whether the token
 * can be sold, and whether the host knows the exchanged blockhash. Asks for nothing that the first request has shown.
 */
export async function costsOf(
  ask: Ask,
  configuration: SolReader["configuration"],
  view: TokenView,
  {
    payment,
    offered,
    confirm,
    early,
    memory,
    ...asked
  }: AskedTrial & {
    payment: Payment | undefined;
    offered: QuoteTrial | undefined;
    confirm: ReturnType<typeof confirming>;
    early: SolLook["early"];
    memory: TrialMemory | undefined;
  },
): Promise<Costs> {
  const { side, wallet, trial: values } = asked;
  const { blockhash, rents, mint } = values;
  const tester = testerOf(configuration, view, asked);
  const trial = await tradeTrialOf(configuration, view, asked, tester, payment?.pool);
  const seen = earlyAnswers(early, trial);
  const trials = seen
    ? []
    : [{ ...(await trialCalls(trial, blockhash)), fee: await baseFeeCalls(trial, blockhash) }];
  const { byJupiter, known, ...asking } = await askTogether(ask, {
    trials,
    byJupiter: offered ? [quoteCalls(offered)] : [],
    known: confirm.calls,
  });
  const answers = seen ?? asking.trials[0];
  if (answers === undefined) throw new Error("A quote lacks its trial");
  const { fee, tried, prices, rent, market, trip } = answers;
  const [jupiter] = byJupiter;
  const unitsIn = (simulation: Simulation | undefined) => (simulation?.isDone ? simulation.computeUnits : 0);
  const units = [tried[0], jupiter?.simulation].map(unitsIn);
  const isTried = tried[0]?.isDone === true && tester === wallet;
  const [baseFee] = fee;
  if (isTried && side === "buy" && baseFee !== undefined && areCleanAnswers(answers))
    memory?.keep(mint, { view, blockhash, rents, baseFee }, seen && early?.taken);
  const jupiterFee = jupiter?.fee === undefined ? undefined : baseFeeIn(jupiter.fee);
  const opened = trial.best?.opened ?? [];
  const needsAccount = side === "buy" && view.holding?.hasAccount !== true;
  return {
    computeUnitLimit: unitLimitFor(Math.max(...units)),
    baseFee: baseFee ?? jupiterFee ?? coinUnitsFrom("sol", configuration.baseFee, "baseFee"),
    rents: {
      ...rents,
      tokenAccount: needsAccount ? (rent[0] ?? 0n) : 0n,
      market: lackingRent(opened, market[0], rents),
    },
    marketPrice: greatest(medianOf(prices[0] ?? []), leastMarketPrice),
    sold: isSoldIn(trip[0]),
    shown: offered && jupiter && shownIn(offered, jupiter),
    tried:
      isTried && trial.best
        ? { routed: trial.best.routed, computeUnitLimit: unitLimitFor(unitsIn(tried[0])) }
        : undefined,
    agreed: confirm.agreed(known),
  };
}

/** Collects the facts for planning, from the same slot as the quote. */
export function planningOf(
  { slot, holding }: TokenView,
  side: "buy" | "sell",
  { amountOut }: Payment,
  { tried, agreed, costs }: Pick<Costs, "tried" | "agreed"> & { costs: SolCosts },
): SolWalletFacts | undefined {
  if (holding === undefined || tried === undefined || agreed === undefined) return undefined;
  const { tokenAccount: token, ...rents } = costs.rents;
  return {
    slot,
    coins: holding.lamports,
    blockhash: agreed,
    order: {
      ...(side === "sell" && { held: holding.owned }),
      routes: [payingByPool(tried.routed, amountOut)],
      computeUnitLimit: tried.computeUnitLimit,
      baseFeeLamports: costs.baseFee,
      rents: { ...rents, token },
    },
  };
}
