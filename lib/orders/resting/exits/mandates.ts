import { chainFacts } from "../../../core/chain-facts.ts";
import type { Network } from "../../../core/network.ts";
import { greatest } from "../../bigints.ts";
import { millionthsOf, whole } from "../../percent.ts";
import { type ProgramFacts, untilEnd } from "../../program-limits.ts";
import type { Leg, Mandate } from "../mandate.ts";
import { isAbove, type Ratio, scaled, usualWorstPpm } from "../prices.ts";
import { budgets, limitAt, pairProblem, stopAt, usualFees } from "../terms.ts";
import { exitIdOf } from "./entry.ts";
import { type GivenExit, sellAll } from "./given.ts";

export type BuyFacts = Pick<
  Mandate,
  "chain" | "wallet" | "userID" | "orderId" | "token" | "isPrivate" | "createdAt" | "maxGasPrice" | "by"
> & {
  decimals: number;
  /** Coins that the buy spends, and tokens that it will receive. */
  quoted: Ratio;
  /** The most that one child's transactions may pay the network. */
  feeOfChild: bigint;
  /** Time in seconds after which the buy cannot fill. */
  endsAt: number;
  /** The key of the program that placed the buy. The exits end with it. */
  program?: ProgramFacts | undefined;
};

/** Longest time for which an exit rests after its buy's fill. */
export const longestRestSeconds = 7_776_000;

/** Factor by which a buy may fill better than quoted while its exits still sell all of it at their prices. */
const mostBetter = 2n;

/**
 * Makes the mandates of a buy's exits, which hold whatever the buy pays in the end. They bound what an exit sells by
 * twice its share of the quote, and the prices that follow from the fill by half of what they are at the quote.
 *
 * @throws {DomainError} INVALID_REQUEST
 */
export function exitMandates(exits: readonly GivenExit[], facts: BuyFacts): Mandate[] {
  const shares = exits.map(({ percent }) => millionthsOf(percent));
  const { decimals, quoted, feeOfChild, endsAt, program, orderId: of, ...terms } = facts;
  return exits.map((exit, index) => {
    const sharePpm = shares[index] as bigint;
    const takesRest = sellAll(exits) && index === exits.length - 1;
    const legs = legsOf(exit, facts, `exits.${index}`);
    return {
      ...terms,
      orderId: exitIdOf(facts, index),
      side: "sell",
      amount: greatest((mostBetter * quoted.tokens * sharePpm) / whole, 1n),
      legs,
      exit: { of, sharePpm, ...(takesRest && { others: shares.slice(0, -1) }) },
      ...budgets(legs, usualFees({ value: (quoted.coins * sharePpm) / whole, feeOfChild })),
      expiresAt: untilEnd(endsAt + longestRestSeconds, program),
    };
  });
}

/**
 * Checks the prices of exits, whatever the token's decimals are.
 *
 * @throws {DomainError} INVALID_REQUEST
 */
export function checkExits(chain: Network, exits: readonly GivenExit[]): void {
  const { decimals } = chainFacts[chain].coin;
  const facts = { chain, decimals, quoted: { coins: 1n, tokens: 1n } };
  for (const [index, exit] of exits.entries()) legsOf(exit, facts, `exits.${index}`);
}

type Priced = { chain: Network; decimals: number; quoted: Ratio };

/** Reads the legs of an exit. A pair has the limit first. */
function legsOf({ takeProfit, stopLoss, trailing }: GivenExit, facts: Priced, field: string): Leg[] {
  const legs: Leg[] = [];
  if (takeProfit?.percent !== undefined) legs.push(ofFill("gain", takeProfit.percent, facts, whole));
  else if (takeProfit?.price !== undefined)
    legs.push(limitAt(facts, takeProfit.price, `${field}.takeProfit.price`));
  if (stopLoss?.percent !== undefined) legs.push(ofFill("loss", stopLoss.percent, facts, usualWorstPpm));
  else if (stopLoss?.stopPrice !== undefined)
    legs.push(stopAt(facts, { ...stopLoss, stopPrice: stopLoss.stopPrice }, `${field}.stopLoss.`));
  if (trailing !== undefined) {
    const trailPpm = millionthsOf(trailing.trailPercent);
    legs.push({
      kind: "trailing",
      trailPpm,
      worst: worstAt(facts, ((whole - trailPpm) * usualWorstPpm) / whole),
    });
  }
  const [limit, stop] = legs;
  if (limit?.kind === "limit" && stop?.kind === "stop" && !isAbove(limit.price, stop.trigger))
    throw pairProblem(`${field}.takeProfit`);
  return legs;
}

function ofFill(kind: "gain" | "loss", percent: number, facts: Priced, worstPpm: bigint): Leg {
  const ppm = whole + millionthsOf(percent);
  return { kind, ppm, worst: worstAt(facts, (ppm * worstPpm) / whole) };
}

const worstAt = ({ quoted }: Priced, ppm: bigint): Ratio => scaled(quoted, ppm / mostBetter);
