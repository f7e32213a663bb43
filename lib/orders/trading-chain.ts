import { chains, type Network } from "../core/network.ts";
import {
  defaultSettings,
  type EvmSettings,
  type SettingsPatch,
  type SolanaSettings,
  settingsInForce,
} from "../users/settings.ts";

/** The chains of Ethereum's family. */
export const evmChains = ["eth", "base", "bsc", "avax"] as const;

/** The networks on which trading is possible. */
export const tradingChains = [...evmChains, "sol"] as const;

/** Stands for the chain's native coin where a token's address is expected. */
export const nativeToken = "native";

export type EvmChain = (typeof evmChains)[number];

export type TradingChain = (typeof tradingChains)[number];

export const isEvmChain = (network: Network): network is EvmChain =>
  evmChains.some((chain) => chain === network);

/** Facts about a chain that are the same in every deployment. */
type ChainFacts = {
  coin: { symbol: string; name: string };
  /** The usual time between two blocks. On sol, these are slots. */
  blockSeconds: number;
};

type EvmFacts = ChainFacts & {
  /** The id that its hosts must report, and that every transaction is signed for. */
  chainId: number;
  /** True if pending transactions are public, so that a relay can hide them. */
  hasPublicPool: boolean;
  /** True if transactions pay an L1 fee for their data in addition to gas. */
  hasL1Fee: boolean;
  /** True if blocks have almost no base fee, so that the hosts' gas price is the lowest that validators accept. */
  isGasPriceFloor: boolean;
  /** The lowest tip that validators accept, in wei per unit of gas. Never 0: relays drop transactions without a tip. */
  lowestTip: bigint;
};

export const chainFacts: Readonly<Record<EvmChain, EvmFacts> & { sol: ChainFacts }> = {
  eth: {
    chainId: 1,
    coin: { symbol: "ETH", name: "Ether" },
    blockSeconds: 12,
    hasPublicPool: true,
    hasL1Fee: false,
    isGasPriceFloor: false,
    lowestTip: 1n,
  },
  base: {
    chainId: 8453,
    coin: { symbol: "ETH", name: "Ether" },
    blockSeconds: 0.2,
    hasPublicPool: false,
    hasL1Fee: true,
    isGasPriceFloor: false,
    lowestTip: 1n,
  },
  bsc: {
    chainId: 56,
    coin: { symbol: "BNB", name: "BNB" },
    blockSeconds: 0.45,
    hasPublicPool: true,
    hasL1Fee: false,
    isGasPriceFloor: true,
    lowestTip: 50_000_000n,
  },
  avax: {
    chainId: 43114,
    coin: { symbol: "AVAX", name: "Avalanche" },
    blockSeconds: 1,
    hasPublicPool: true,
    hasL1Fee: false,
    isGasPriceFloor: false,
    lowestTip: 1n,
  },
  sol: { coin: { symbol: "SOL", name: "Solana" }, blockSeconds: 0.4 },
};

/** Names the pair of a token and the chain's coin, and each of them. */
export function pairNames(chain: TradingChain, baseSymbol: string) {
  const quoteSymbol = chainFacts[chain].coin.symbol;
  return { symbol: `${baseSymbol}/${quoteSymbol}`, baseSymbol, quoteSymbol };
}

/** Names a stored pair. Earlier versions stored no symbol of the token by itself. */
export const storedNames = (
  chain: TradingChain,
  { symbol, baseSymbol }: { symbol: string; baseSymbol?: string },
) => (baseSymbol === undefined ? { symbol } : pairNames(chain, baseSymbol));

/** Hosts that lag further behind others do not count as seeing the same chain. */
export const mostLagSeconds = 3;

/**
 * Computes how far the times of two hosts' newest blocks may be apart. A lag moves them by up to a block more, and blocks
 * state whole seconds.
 */
export const mostApartSeconds = (chain: EvmChain): number =>
  Math.ceil(mostLagSeconds + chainFacts[chain].blockSeconds);

/** The operators' limits for a chain, in units of its coin. */
export type ChainLimits = {
  /** The most that a buy may spend. */
  maxOrder?: bigint | undefined;
  /**
   * The most that a transaction may pay the network, without an L1 fee. On sol, the most that all transactions of an order
   * may pay beside their base fees.
   */
  maxNetworkFee: bigint;
  /** The most that a wallet's transactions of a day may pay the network. By default ten times `maxNetworkFee`. */
  maxNetworkFeesPerDay?: bigint | undefined;
};

/** The settings of an order that names none of its own. */
export type OrderSettings = Pick<EvmSettings, "slippage" | "gasPreset" | "maxGasPrice" | "mevProtection">;

/** The settings of users who have chosen none. For bsc and avax, users cannot choose yet. */
export const defaultOrderSettings: Readonly<Record<EvmChain, OrderSettings>> = {
  eth: orderSettings(defaultSettings.eth),
  base: orderSettings(defaultSettings.base),
  bsc: { slippage: 1, gasPreset: "medium", maxGasPrice: 10, mevProtection: true },
  avax: { slippage: 1, gasPreset: "medium", maxGasPrice: 50, mevProtection: true },
};

function orderSettings({ slippage, gasPreset, maxGasPrice, mevProtection }: EvmSettings): OrderSettings {
  return { slippage, gasPreset, maxGasPrice, mevProtection };
}

/** The settings of an order on sol that names none of its own. */
export type SolOrderSettings = Pick<SolanaSettings, "slippage" | "priorityFee" | "mevProtection">;

/** Merges a user's stored settings of sol with the defaults. */
export function solOrderSettingsOf(stored?: SettingsPatch): SolOrderSettings {
  const { slippage, priorityFee, mevProtection } = settingsInForce("sol", stored);
  return { slippage: roundedDown(slippage), priorityFee, mevProtection };
}

/** Merges a user's stored settings with the defaults of a chain. */
export function orderSettingsOf(chain: EvmChain, stored?: SettingsPatch): OrderSettings {
  const chosen = chains.find((each) => each === chain);
  // Some chains have no settings for users to choose.
  const settings =
    chosen === undefined || chosen === "sol"
      ? defaultOrderSettings[chain]
      : orderSettings(settingsInForce(chosen, stored));
  return { ...settings, slippage: roundedDown(settings.slippage) };
}

const partsOfPercent = 10_000;

/**
 * Rounds a percentage down to the four decimal places of trading. Settings that were stored by earlier versions may have
 * more, and a minimum must not become lower than its user allows.
 */
function roundedDown(percent: number): number {
  const nearest = Math.round(percent * partsOfPercent);
  return (nearest / partsOfPercent <= percent ? nearest : nearest - 1) / partsOfPercent;
}
