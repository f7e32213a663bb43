import { isDeepStrictEqual } from "node:util";
import type * as v from "valibot";
import { fillIdOf } from "../../../orders/resting/slices.ts";
import type { cpmmRoute, curveRoute, jupiterRoute, pumpPoolRoute, solIntent } from "./schemas.ts";

/** A Raydium CPMM pool with its fee configuration. Its other accounts are derived. */
export type CpmmRoute = v.InferOutput<typeof cpmmRoute>;

/** A token's bonding curve on Pump. */
export type CurveRoute = v.InferOutput<typeof curveRoute>;

/** The pool on PumpSwap to which a token moves when its curve is complete. */
export type PumpPoolRoute = v.InferOutput<typeof pumpPoolRoute>;

/** A pool that orders trade with directly. */
export type DirectRoute = CpmmRoute | CurveRoute | PumpPoolRoute;

/** The route that Metis, Jupiter's router, finds at the time when a message is made. */
export type JupiterRoute = v.InferOutput<typeof jupiterRoute>;

export type SolRoute = DirectRoute | JupiterRoute;

/** The exchanges on Solana whose pools orders trade with directly. */
export const solPoolVenues = [
  "raydium-cpmm",
  "pump",
  "pumpswap",
] as const satisfies readonly DirectRoute["venue"][];

/** The exchanges on Solana. */
export const solVenues = [...solPoolVenues, "jupiter-metis"] as const satisfies readonly SolRoute["venue"][];

/** The limits of an order on Solana, fixed when it is placed. Its token is the mint. */
export type SolIntent = v.InferOutput<typeof solIntent>;

/** Names an order's marker. All children of a resting order, or of a slice, share one, so only one of them fills. */
export const markIdOf = ({ orderId, parent }: Pick<SolIntent, "orderId" | "parent">): string =>
  parent === undefined ? orderId : fillIdOf(parent);

export const isSameSolRoute = (a: SolRoute, b: SolRoute): boolean =>
  isDeepStrictEqual(plainSolRoute(a), plainSolRoute(b));

/** Returns a route without the quoted figures. */
export const plainSolRoute = (route: SolRoute): SolRoute => {
  switch (route.venue) {
    case "jupiter-metis":
      return { venue: route.venue };
    case "raydium-cpmm":
      return { venue: route.venue, pool: route.pool, config: route.config };
    default:
      return { venue: route.venue, pool: route.pool };
  }
};

/** Counts the signatures of a message: the wallet's and, if there is one, that of Jupiter's helper key. */
export const signaturesFor = ({ venue }: Pick<SolRoute, "venue">): number =>
  venue === "jupiter-metis" ? 2 : 1;
