/** EVM chains that run on this machine. */
export const evmChains = ["eth", "base", "bsc", "avax"] as const;

export type EvmChain = (typeof evmChains)[number];

/** All chains on this machine, in the order of their ports. */
export const chainNames = [...evmChains, "sol"] as const;

export type ChainName = (typeof chainNames)[number];

/** Ids and coins of the real chains, which the local chains have as well. */
export const evmFacts: Readonly<
  Record<EvmChain, { chainId: number; coin: { symbol: string; name: string } }>
> = {
  eth: { chainId: 1, coin: { symbol: "ETH", name: "Ether" } },
  base: { chainId: 8453, coin: { symbol: "ETH", name: "Ether" } },
  bsc: { chainId: 56, coin: { symbol: "BNB", name: "BNB" } },
  avax: { chainId: 43114, coin: { symbol: "AVAX", name: "Avalanche" } },
};
