import {
  chains,
  defaultSettings,
  type EvmSettings,
  type SettingsPatch,
  settingsInForce,
} from "../settings.ts";

/** The networks on which orders can be executed here. */
export const tradingChains = ["eth", "base", "bsc", "avax"] as const;

/** A chain's own coin, in the place of a token's address. */
export const nativeToken = "native";

export type TradingChain = (typeof tradingChains)[number];

/** What is the same wherever the service runs. */
export type ChainFacts = {
  /** The one that its hosts must answer, and that every transaction is signed for. */
  chainID: number;
  coin: { symbol: string; name: string };
  /** How far one host may be behind another before they do not see the same chain: about three seconds of blocks. */
  maxLagBlocks: number;
  /** Whether transactions wait where anybody can see them, so that a relay can hide them. */
  hasPublicPool: boolean;
  /** Whether the data of transactions costs a fee for layer 1, beside gas. */
  hasL1Fee: boolean;
  /** Whether blocks have no base fee to speak of, so that the hosts' gas price is the least that validators take. */
  isGasPriceFloor: boolean;
};

export const chainFacts: Readonly<Record<TradingChain, ChainFacts>> = {
  eth: {
    chainID: 1,
    coin: { symbol: "ETH", name: "Ether" },
    maxLagBlocks: 1,
    hasPublicPool: true,
    hasL1Fee: false,
    isGasPriceFloor: false,
  },
  base: {
    chainID: 8453,
    coin: { symbol: "ETH", name: "Ether" },
    maxLagBlocks: 2,
    hasPublicPool: false,
    hasL1Fee: true,
    isGasPriceFloor: false,
  },
  bsc: {
    chainID: 56,
    coin: { symbol: "BNB", name: "BNB" },
    maxLagBlocks: 7,
    hasPublicPool: true,
    hasL1Fee: false,
    isGasPriceFloor: true,
  },
  avax: {
    chainID: 43114,
    coin: { symbol: "AVAX", name: "Avalanche" },
    maxLagBlocks: 3,
    hasPublicPool: true,
    hasL1Fee: false,
    isGasPriceFloor: false,
  },
};

/** The settings that an order has unless it names its own. */
export type OrderSettings = Pick<EvmSettings, "slippage" | "gasPreset" | "maxGasPrice" | "mevProtection">;

/** What applies to orders of users who chose nothing. For bsc and avax, users cannot choose yet. */
export const defaultOrderSettings: Readonly<Record<TradingChain, OrderSettings>> = {
  eth: orderSettings(defaultSettings.eth),
  base: orderSettings(defaultSettings.base),
  bsc: { slippage: 1, gasPreset: "medium", maxGasPrice: 10, mevProtection: true },
  avax: { slippage: 1, gasPreset: "medium", maxGasPrice: 50, mevProtection: true },
};

function orderSettings({ slippage, gasPreset, maxGasPrice, mevProtection }: EvmSettings): OrderSettings {
  return { slippage, gasPreset, maxGasPrice, mevProtection };
}

/** What applies to a user's orders on a chain, by what is stored of their settings. */
export function orderSettingsOf(chain: TradingChain, stored?: SettingsPatch): OrderSettings {
  const chosen = chains.find((each) => each === chain);
  // Not every chain has settings that users can choose.
  const settings =
    chosen === undefined || chosen === "sol"
      ? defaultOrderSettings[chain]
      : orderSettings(settingsInForce(chosen, stored));
  return { ...settings, slippage: rounded(settings.slippage) };
}

/** Settings may have more places than percentages of trading, which have four. The least of both is the same. */
const rounded = (percent: number) => Math.round(percent * 10_000) / 10_000;
