import type * as v from "valibot";
import type { cpmmRoute, jupiterRoute, solIntent } from "./schemas.ts";

/** The exchange on Solana whose pools orders trade with directly. */
export const cpmmVenue = "raydium-cpmm";

/** A Raydium CPMM pool with its fee configuration. Its other accounts are derived. */
export type CpmmRoute = v.InferOutput<typeof cpmmRoute>;

/** The route that Metis, Jupiter's router, finds at the time when a message is made. */
export type JupiterRoute = v.InferOutput<typeof jupiterRoute>;

export type SolRoute = CpmmRoute | JupiterRoute;

/** The exchanges on Solana. */
export const solVenues = [cpmmVenue, "jupiter-metis"] as const satisfies readonly SolRoute["venue"][];

/** The limits of an order on Solana, fixed when it is placed. Its token is the mint. */
export type SolIntent = v.InferOutput<typeof solIntent>;

export const isSameSolRoute = (a: SolRoute, b: SolRoute): boolean =>
  a.venue === "jupiter-metis" || b.venue === "jupiter-metis"
    ? a.venue === b.venue
    : a.pool === b.pool && a.config === b.config;

/** Returns a route without the quoted figures. */
export const plainSolRoute = (route: SolRoute): SolRoute => {
  const { venue } = route;
  if (venue === "jupiter-metis") return { venue };
  const { pool, config } = route;
  return { venue, pool, config };
};

/** Counts the signatures of a message: the wallet's and, if there is one, that of Jupiter's helper key. */
export const signaturesFor = ({ venue }: Pick<SolRoute, "venue">): number =>
  venue === "jupiter-metis" ? 2 : 1;
