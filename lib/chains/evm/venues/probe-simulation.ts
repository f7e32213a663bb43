import { randomBytes } from "node:crypto";
import { safetyOf, type TokenSafety, unknownSafety } from "../../../orders/token-safety.ts";
import type { RpcCall } from "../../hosts/rpc-call.ts";
import type { SimulatedAfter } from "../calls/simulation.ts";
import type { Contracts } from "./configured-routes.ts";
import type { PoolRoute } from "./pool-routes.ts";
import { roundTripCall } from "./swap-simulation.ts";

/** The amount that a probe buys for: 0.01 coins. */
export const probeCoins = 10n ** 16n;

/**
 * Makes a random address, so that no token can recognize it. It has no zero bytes, which cost less gas than others, so
 * that the network fee of a quote does not depend on chance.
 */
export const newStranger = (): string =>
  `0x${Buffer.from(randomBytes(20).map((byte) => byte || 1)).toString("hex")}`;

/**
 * Simulates that a stranger buys a token and sells it a minute later.
 *
 * @param route A route with the amount that its pool pays for {@link probeCoins}.
 */
export const probeSimulation = (
  contracts: Contracts,
  token: string,
  route: PoolRoute,
  after: SimulatedAfter,
): RpcCall<TokenSafety> =>
  roundTripCall(contracts, { wallet: newStranger(), token, amountIn: probeCoins }, route, after, {
    // If the token cannot be bought now, its safety is unknown.
    read: ({ outcome, trip }) => (outcome?.isOk ? safetyOf(trip) : unknownSafety),
    unknown: unknownSafety,
  });
