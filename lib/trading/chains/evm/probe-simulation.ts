import { randomBytes } from "node:crypto";
import { isV2Venue } from "../../core/intent.ts";
import { type RoundTrip, safetyOf, type TokenSafety, unknownSafety } from "../../core/token-safety.ts";
import type { ChainConfiguration } from "../chain-configuration.ts";
import { takenByPool } from "./fill-logs.ts";
import type { PoolRoute } from "./pool-routes.ts";
import type { RpcCall } from "./rpc-call.ts";
import type { SimulatedAfter, SimulatedOutcome } from "./simulation.ts";
import { attempted, numberIn, stepsOf } from "./swap-simulation.ts";

type Contracts = Pick<ChainConfiguration, "venues" | "wrapped">;

/** The amount of a probe: 0.01 coins. */
export const probeCoins = 10n ** 16n;

/** Makes a random address that no token can recognize. */
export const newStranger = (): string => `0x${randomBytes(20).toString("hex")}`;

/**
 * Percentages of the pool's payment to try in turn until a sale succeeds. It is not known in advance how much arrives,
 * and only that much can be sold.
 */
const shares = [100n, 99n, 95n, 90n, 75n, 50n, 10n, 1n];

/**
 * Simulates a stranger's purchase of a token, and its sale.
 *
 * @param route A route with the amount that its pool pays for {@link probeCoins}.
 */
export function probeSimulation(
  contracts: Contracts,
  token: string,
  route: PoolRoute,
  after: SimulatedAfter,
): RpcCall<TokenSafety> {
  const { approve, swap, balance } = stepsOf(contracts, newStranger(), token, route);
  const sales = shares.map((share) => (route.amountOut * share) / 100n).filter((amountIn) => amountIn > 0n);
  const read = (outcomes: readonly SimulatedOutcome[]): TokenSafety => {
    const [before, bought, after, , ...tried] = outcomes;
    // A token that cannot be bought now shows nothing about its safety.
    if (!bought?.isOk) return unknownSafety;
    const trip: RoundTrip = {
      bought: { sent: route.amountOut, arrived: numberIn(after) - numberIn(before) },
    };
    const index = tried.findIndex(({ isOk }) => isOk);
    const [sold, sent] = [tried[index], sales[index]];
    if (sold === undefined || sent === undefined) return safetyOf(trip);
    // v3 pools take the full amount or fail.
    const arrived = isV2Venue(route)
      ? takenByPool(route.pool, contracts.wrapped.token, token, sold.logs)
      : sent;
    return safetyOf({ ...trip, sold: { sent, arrived } });
  };
  return attempted(
    [
      balance,
      swap("buy", probeCoins),
      balance,
      approve(route.amountOut),
      ...sales.map((amountIn) => swap("sell", amountIn)),
    ],
    after,
    read,
    unknownSafety,
  );
}
