/** Blockchains that a wallet can be on. */
export const networks = ["eth", "base", "sol", "bsc", "avax"] as const;

export type Network = (typeof networks)[number];

/** Chains that have trading settings. */
export const chains = ["eth", "base", "sol"] as const satisfies Network[];

export type Chain = (typeof chains)[number];
