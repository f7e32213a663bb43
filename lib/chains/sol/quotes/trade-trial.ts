import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Address } from "@solana/web3.js";
import bs58 from "bs58";
import { RecentMap } from "../../../core/recent-map.ts";
import type { TokenUnits } from "../../../core/units.ts";
import type { Order } from "../../../orders/execution.ts";
import type { ValuesIn } from "../../hosts/ask-together.ts";
import { attemptQuietly } from "../../hosts/rpc-call.ts";
import type { OpenedAccount, PoolView } from "../calls/pool-view.ts";
import { final, messageFeeCall, recentPricesCall, rentCall, simulationCall } from "../calls/rpc-call.ts";
import type { TokenView } from "../calls/token-view.ts";
import { venueOfPool } from "../messages/order-message.ts";
import { attemptMessage, roundTripMessage, type Trial } from "../messages/trial-messages.ts";
import type { SolConfiguration } from "../rules/configuration.ts";
import type { PoolMessageRoute } from "../rules/message-route.ts";
import { usualUnits } from "../rules/trade-fees.ts";
import { bestForProbe, marketCalls, maybe, probeLamports } from "./look-at-token.ts";

export type AskedTrial = {
  side: Order["side"];
  amount: bigint;
  trial: Omit<Trial, "wallet">;
  wallet: Address | undefined;
};

/** Trials of a quote's second request: the trade in its best pool, and a purchase and sale of the token. */
export type TradeTrial = {
  terms: Omit<Trial, "blockhash"> & { side: Order["side"]; amountIn: bigint };
  /** False if no account can try the trade. */
  isTried: boolean;
  /** Size of an account of the token, in bytes. */
  accountBytes: number;
  /** Absent if no pool pays for the trade. */
  best?: {
    routed: PoolMessageRoute;
    written: readonly Address[];
    opened: readonly OpenedAccount[];
  };
  /** Absent without an account that can try it. */
  trip?: { payer: Address; routes: Record<Order["side"], PoolMessageRoute>; bought: TokenUnits };
};

const newStranger = () => bs58.encode(randomBytes(32)) as Address;

/**
 * @param tester Account that can try the trade.
 * @param pool The best pool for it.
 */
export async function tradeTrialOf(
  { payer }: Pick<SolConfiguration, "payer">,
  view: TokenView,
  { side, amount: amountIn, trial: { blockhash: _, ...trial }, wallet }: AskedTrial,
  tester: Address | undefined,
  pool: PoolView | undefined,
): Promise<TradeTrial> {
  // Any payer will do, because a message's fee does not depend on its payer.
  const trader = tester ?? wallet ?? newStranger();
  const probe = bestForProbe(view);
  return {
    terms: { ...trial, wallet: trader, side, amountIn },
    isTried: tester !== undefined,
    accountBytes: view.mint.accountBytes,
    ...(pool && {
      best: {
        routed: await pool.routeFor(side, amountIn),
        written: pool.written,
        opened: await pool.opened(side, wallet ?? trader),
      },
    }),
    ...(payer !== undefined &&
      probe && {
        trip: {
          payer: payer as Address,
          routes: {
            buy: await probe.pool.routeFor("buy", probeLamports),
            sell: await probe.pool.routeFor("sell", probe.amountOut),
          },
          bought: roundedDown(probe.amountOut),
        },
      }),
  };
}

/** Rounds down to a power of two, so that the message need not be composed again each time that the price moves. */
const roundedDown = (units: TokenUnits): TokenUnits => 1n << BigInt(units.toString(2).length - 1);

/** Messages that were composed lately, about 1 kB each. A host simulates them with the newest blockhash. */
const composed = new RecentMap<string, Promise<Uint8Array | undefined>>(500);

/** Composes a message once for both hosts, and for later quotes: it takes some milliseconds. */
function composedOnce(
  terms: object,
  compose: () => Promise<Uint8Array | undefined>,
): Promise<Uint8Array | undefined> {
  const name = JSON.stringify(terms, (_, value) => (typeof value === "bigint" ? `${value}` : value));
  const known = composed.get(name);
  if (known !== undefined) return known;
  const message = compose();
  composed.set(name, message);
  return message;
}

/** Makes the calls of a trial. */
export async function trialCalls(
  { terms, isTried, accountBytes, best, trip }: TradeTrial,
  blockhash: string,
) {
  const { side, amountIn, ...trial } = terms;
  const venue = best && venueOfPool(best.routed);
  const attempt =
    venue && isTried
      ? composedOnce({ terms, venue }, () =>
          attemptMessage({ ...trial, blockhash }, { side, amountIn, venue }),
        )
      : undefined;
  const { mint, tokenProgram, rents } = trial;
  const roundTrip =
    trip &&
    composedOnce({ mint, tokenProgram, rents, trip }, () =>
      roundTripMessage(
        { mint, tokenProgram, rents, blockhash, wallet: trip.payer },
        {
          pool: { routeFor: async (side) => trip.routes[side] },
          amountIn: probeLamports,
          bought: trip.bought,
        },
      ),
    );
  const simulated = (message: Uint8Array | undefined) =>
    message === undefined ? [] : [maybe(simulationCall(message, final))];
  return {
    tried: simulated(await attempt),
    prices: best ? [maybe(recentPricesCall(best.written))] : [],
    market: marketCalls(best?.opened ?? []),
    rent: side === "buy" ? [rentCall(accountBytes, final)] : [],
    trip: simulated(await roundTrip),
  };
}

/**
 * Makes the call that reads the fee of one signature, with the usual unit limit, because the actual limit is known only
 * after the simulation.
 */
export async function baseFeeCalls({ terms, best }: TradeTrial, blockhash: string) {
  const { side, amountIn, ...trial } = terms;
  const attempt = best && { side, amountIn, venue: venueOfPool(best.routed) };
  const message = attempt && (await attemptMessage({ ...trial, blockhash }, attempt, usualUnits));
  return message === undefined ? [] : [messageFeeCall(message, final)];
}

type Calls = Awaited<ReturnType<typeof trialCalls>>;

/** Makes calls whose refusal leaves the other answers of their request usable. */
export const quietTrialCalls = ({ tried, prices, market, rent, trip }: Calls) => ({
  tried: tried.map(attemptQuietly),
  prices: prices.map(attemptQuietly),
  market: market.map(attemptQuietly),
  rent: rent.map(attemptQuietly),
  trip: trip.map(attemptQuietly),
});

export type TrialAnswers = ValuesIn<Calls>;
export type QuietTrialAnswers = ValuesIn<ReturnType<typeof quietTrialCalls>>;

/** True if the host gave all answers, and could simulate all messages. */
export function areCleanAnswers(answers: QuietTrialAnswers): answers is TrialAnswers {
  const { tried, market, rent, trip } = answers;
  const areDone = [...tried, ...trip].every((simulation) => simulation?.isDone);
  return areDone && [...market, ...rent].every((answer) => answer !== undefined);
}

/**
 * True if the answers to an earlier trial are those to another one. The simulated sale may differ, but not be of more
 * tokens than the purchase now brings.
 */
export function isSameTrial({ trip: a, ...earlier }: TradeTrial, { trip: b, ...later }: TradeTrial): boolean {
  if (!isDeepStrictEqual(earlier, later)) return false;
  if (a === undefined || b === undefined) return a === b;
  const [{ bought: before, ...one }, { bought: now, ...other }] = [a, b];
  return isDeepStrictEqual(one, other) && before / 2n <= now;
}
