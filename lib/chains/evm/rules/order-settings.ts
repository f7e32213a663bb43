import type { EvmChain } from "../../../core/chain-facts.ts";
import type { WeiPerGas } from "../../../core/units.ts";
import { roundedDown } from "../../../orders/percent.ts";
import { type EvmSettings, type SettingsPatch, settingsInForce } from "../../../users/settings.ts";
import { weiOfGwei } from "./fees.ts";

/** Default settings of an order. */
export type EvmOrderSettings = Pick<EvmSettings, "slippage" | "gasPreset" | "maxGasPrice" | "mevProtection">;

/** Settings for chains on which users cannot choose their own yet. */
const fixedSettings: Readonly<Record<"bsc" | "avax", EvmOrderSettings>> = {
  bsc: { slippage: 1, gasPreset: "medium", maxGasPrice: 10, mevProtection: true },
  avax: { slippage: 1, gasPreset: "medium", maxGasPrice: 50, mevProtection: true },
};

/** Merges a user's stored settings with the defaults of a chain. */
export function evmOrderSettingsOf(chain: EvmChain, stored?: SettingsPatch): EvmOrderSettings {
  if (chain === "bsc" || chain === "avax") return fixedSettings[chain];
  const { slippage, gasPreset, maxGasPrice, mevProtection } = settingsInForce(chain, stored);
  return { slippage: roundedDown(slippage), gasPreset, maxGasPrice, mevProtection };
}

/** No setting allows a higher gas price. */
const highestGwei = 1e9;

/** Returns a user's highest gas price. 0 if the stored value is not a price. */
export function maxGasPriceOf(chain: EvmChain, stored?: SettingsPatch): WeiPerGas {
  const gwei: unknown = evmOrderSettingsOf(chain, stored).maxGasPrice;
  return typeof gwei === "number" && gwei >= 0 && gwei <= highestGwei ? weiOfGwei(gwei) : 0n;
}
