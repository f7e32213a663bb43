import type { IntentTerms } from "../intent.ts";

/** A pool of Raydium CPMM with its fee configuration. Its other accounts are derived. */
export type SolRoute = { venue: "raydium-cpmm"; pool: string; config: string };

/** An order has at most this many transactions that could fill it. All of them make its marker, so one succeeds. */
export const mostAttempts = 3;

/** An order has at most this many transactions that make only its marker, so that nothing fills it any more. */
export const mostClears = 1;

/** The limits of an order on Solana, fixed when it is placed. Its token is the mint. */
export type SolIntent = IntentTerms & {
  chain: "sol";
  /** The program of the mint: Token or Token-2022. */
  tokenProgram: string;
  /** The only routes that it may use, the best first. */
  routes: readonly SolRoute[];
  /** The most that all its transactions may pay for priority and as tips. */
  budgetLamports: bigint;
};

export const isSameSolRoute = (a: SolRoute, b: SolRoute): boolean =>
  a.venue === b.venue && a.pool === b.pool && a.config === b.config;
