/** The blockchains that a wallet can be on. */
export const networks = ["eth", "base", "sol", "bsc", "avax"] as const;

export type Network = (typeof networks)[number];
