import type { Network } from "./network.ts";
import {
  avaxBlockSeconds,
  baseBlockSeconds,
  bscBlockSeconds,
  bscLowestTip,
  ethBlockSeconds,
  solSlotSeconds,
} from "./network-facts.ts";
import type { WeiPerGas } from "./units.ts";

/** Describes a chain by facts that are the same in every deployment. */
type CommonFacts = {
  coin: { symbol: string; name: string; decimals: number };
  /** Usual time between two blocks, or on sol between two slots. */
  blockSeconds: number;
  /** True if pending transactions are public on this chain. Then only a relay can hide them. */
  hasPublicPool: boolean;
};

type EvmFacts = CommonFacts & {
  family: "evm";
  /** Chain id that the chain's hosts must report, and that every signed transaction contains. */
  chainId: number;
  /** True if transactions pay an L1 fee for their data in addition to gas. */
  hasL1Fee?: true;
  /**
   * True if blocks have almost no base fee. The gas price that hosts report is then the lowest that validators accept.
   */
  isGasPriceFloor?: true;
  /** Lowest tip that validators accept. Absent if they accept any tip above 0. */
  lowestTip?: WeiPerGas;
};

type SolFacts = CommonFacts & { family: "sol" };

const ether = { symbol: "ETH", name: "Ether", decimals: 18 };

const eth: EvmFacts = {
  family: "evm",
  coin: ether,
  chainId: 1,
  blockSeconds: ethBlockSeconds,
  hasPublicPool: true,
};

const base: EvmFacts = {
  family: "evm",
  coin: ether,
  chainId: 8453,
  blockSeconds: baseBlockSeconds,
  hasPublicPool: false,
  hasL1Fee: true,
};

const bsc: EvmFacts = {
  family: "evm",
  coin: { symbol: "BNB", name: "BNB", decimals: 18 },
  chainId: 56,
  blockSeconds: bscBlockSeconds,
  hasPublicPool: true,
  isGasPriceFloor: true,
  lowestTip: bscLowestTip,
};

const avax: EvmFacts = {
  family: "evm",
  coin: { symbol: "AVAX", name: "Avalanche", decimals: 18 },
  chainId: 43114,
  blockSeconds: avaxBlockSeconds,
  hasPublicPool: true,
};

const sol: SolFacts = {
  family: "sol",
  coin: { symbol: "SOL", name: "Solana", decimals: 9 },
  blockSeconds: solSlotSeconds,
  hasPublicPool: true,
};

export const chainFacts = { eth, base, bsc, avax, sol } satisfies Record<Network, EvmFacts | SolFacts>;

/** Returns the family of a chain. Chains of a family share the forms of their addresses, keys and transactions. */
export const familyOf = (chain: Network) => chainFacts[chain].family;

/** The chains' public explorers. Kept apart from the other facts, because no function needs them. */
export const explorers: Readonly<Record<Network, string>> = {
  eth: "https://etherscan.io",
  base: "https://basescan.org",
  bsc: "https://bscscan.com",
  avax: "https://snowtrace.io",
  sol: "https://solscan.io",
};

type ChainOf<Family extends string> = {
  [Chain in Network]: (typeof chainFacts)[Chain]["family"] extends Family ? Chain : never;
}[Network];

export type EvmChain = ChainOf<"evm">;

/** EVM chains. Kept apart from the other facts, because most functions do not need those. */
export const evmChains = ["eth", "base", "bsc", "avax"] as const satisfies EvmChain[];

/** Networks on which trading is possible. */
export const tradingChains = [...evmChains, "sol"] as const satisfies Network[];

export type TradingChain = (typeof tradingChains)[number];

export const isEvmChain = (network: Network): network is EvmChain =>
  evmChains.some((chain) => chain === network);
