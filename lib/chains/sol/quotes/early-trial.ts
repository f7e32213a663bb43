import type { Address } from "@solana/web3.js";
import type { Lamports } from "../../../core/units.ts";
import { coinUnitsFrom } from "../../../orders/decimal-text.ts";
import type { Ask } from "../../hosts/ask-together.ts";
import { EarlyMemory, type Remembered } from "../../hosts/early-memory.ts";
import { paymentsOf, type TokenView } from "../calls/token-view.ts";
import type { Trial } from "../messages/trial-messages.ts";
import type { SolQuoteQuestion } from "../rules/trade-facts.ts";
import type { SolReader } from "../venues/reader.ts";
import type { JupiterForQuote } from "./ask-jupiter.ts";
import { lookAtToken } from "./look-at-token.ts";
import {
  areCleanAnswers,
  isSameTrial,
  type QuietTrialAnswers,
  quietTrialCalls,
  type TradeTrial,
  tradeTrialOf,
  trialCalls,
} from "./trade-trial.ts";

/** A token as a host has shown it, and the values that messages about it need. */
type KnownToken = { view: TokenView; baseFee: Lamports } & Pick<Trial, "blockhash" | "rents">;

/** Maximum number of tokens to remember, about 10 kB each. */
const mostTokens = 300;

/** Remembers the tokens that a host has shown in quotes of purchases by any wallet. */
export class TrialMemory extends EarlyMemory<KnownToken> {
  constructor(nowMs?: () => number) {
    super(mostTokens, nowMs);
  }
}

/** A trial that the first request of a quote makes already, of the token as the host has shown it before. */
type EarlyTrial = { taken: Remembered<KnownToken>; trial: TradeTrial };

type Asked = Pick<SolQuoteQuestion, "trade" | "wallet">;

/** Expects that the wallet can pay. Undefined for sales, because their amounts may depend on the wallet's balance. */
async function earlyTrialOf(
  { configuration }: Pick<SolReader, "configuration">,
  { trade: { side, token, pool, amount }, wallet }: Asked,
  memory: TrialMemory | undefined,
): Promise<EarlyTrial | undefined> {
  if (side !== "buy" || pool !== undefined || wallet === undefined) return undefined;
  const coins = coinUnitsFrom("sol", amount ?? "", "amount");
  const taken = memory?.take(token);
  if (taken === undefined) return undefined;
  const { view, blockhash, rents } = taken.value;
  const own = wallet as Address;
  const first = { mint: token as Address, tokenProgram: view.mint.program as Address, blockhash, rents };
  const asked = { side, amount: coins, trial: first, wallet: own };
  const [best] = paymentsOf(view, side, coins);
  return { taken, trial: await tradeTrialOf(configuration, view, asked, own, best?.pool) };
}

/**
 * Makes the first request of a quote.
 *
 * @param jupiter Is asked at the same time for a swap of a remembered token.
 */
export async function lookForSolQuote(
  ask: Ask,
  reader: Pick<SolReader, "configuration">,
  asked: Asked,
  memory?: TrialMemory,
  jupiter?: Pick<JupiterForQuote, "begin">,
) {
  const { token, pool } = asked.trade;
  const early = await earlyTrialOf(reader, asked, memory);
  if (early) jupiter?.begin({ ...early.trial.terms, decimals: early.taken.value.view.mint.decimals });
  const trials = early ? [quietTrialCalls(await trialCalls(early.trial, early.taken.value.blockhash))] : [];
  const named = pool === undefined ? [] : [pool];
  const wallet = asked.wallet as Address | undefined;
  const look = await lookAtToken(ask, reader.configuration, token as Address, wallet, named, { trials });
  const [answers] = look.early.trials;
  return { ...look, early: early && answers && { ...early, answers } };
}

/** Answers to the first request of a quote. */
export type SolLook = Awaited<ReturnType<typeof lookForSolQuote>>;

/**
 * Returns the answers of the first request to a trial, with the base fee that the host named before. Undefined if the
 * trial that follows from the host's other answers is another one, or if any of it failed.
 */
export function earlyAnswers(
  early: (EarlyTrial & { answers: QuietTrialAnswers }) | undefined,
  needed: TradeTrial,
) {
  if (early === undefined || !isSameTrial(early.trial, needed) || !areCleanAnswers(early.answers))
    return undefined;
  return { ...early.answers, fee: [early.taken.value.baseFee] };
}
