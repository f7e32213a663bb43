/** The blockchains on which a wallet can be held. */
export const networks = ["eth", "base", "sol", "bsc", "avax"] as const;

export type Network = (typeof networks)[number];
