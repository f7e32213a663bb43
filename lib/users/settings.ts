import { DomainError } from "../core/domain-error.ts";
import type { Chain } from "../core/network.ts";

export const gasPresets = ["slow", "medium", "fast", "turbo"] as const;

export type GasPreset = (typeof gasPresets)[number];

/** All settings that a chain can have. {@link defaultSettings} lists those of each chain. */
export type Settings = {
  /** Slippage in percent, above 0 and up to 100. */
  slippage: number;
  gasPreset: GasPreset;
  /** Gas price in gwei, above 0. */
  maxGasPrice: number;
  /** Fee in SOL, 0 or more. */
  priorityFee: number;
  mevProtection: boolean;
  autoBuy: boolean;
  autoSell: boolean;
};

export type EvmSettings = Omit<Settings, "priorityFee">;
export type SolanaSettings = Omit<Settings, "gasPreset" | "maxGasPrice">;
export type SettingsOf = { eth: EvmSettings; base: EvmSettings; sol: SolanaSettings };

/** Settings to change. Settings that are absent keep their values. */
export type SettingsPatch = { [Name in keyof Settings]?: Settings[Name] | undefined };

/** Settings of each chain until a user changes them. A chain has only the settings listed here. */
export const defaultSettings: Readonly<SettingsOf> = {
  eth: {
    slippage: 1,
    gasPreset: "medium",
    maxGasPrice: 100,
    mevProtection: true,
    autoBuy: false,
    autoSell: false,
  },
  base: {
    slippage: 1,
    gasPreset: "medium",
    maxGasPrice: 5,
    mevProtection: true,
    autoBuy: false,
    autoSell: false,
  },
  sol: { slippage: 1, priorityFee: 0.001, mevProtection: true, autoBuy: false, autoSell: false },
};

/**
 * Returns the settings that the patch changes.
 *
 * @throws {DomainError} INVALID_SETTING if the chain does not have one of them.
 */
export function checkPatch(chain: Chain, patch: SettingsPatch): Partial<Settings> {
  const changes = Object.entries(patch).filter(([, value]) => value !== undefined);
  const stranger = changes.find(([name]) => !Object.hasOwn(defaultSettings[chain], name))?.[0];
  if (stranger !== undefined)
    throw new DomainError("INVALID_SETTING", `${stranger} is not a setting of chain ${chain}`);
  return Object.fromEntries(changes);
}

/** Returns the settings of a chain. Fills in defaults for settings that the user has not set. */
export function settingsInForce<C extends Chain>(chain: C, stored: SettingsPatch = {}): SettingsOf[C] {
  const names = Object.keys(defaultSettings[chain]) as (keyof Settings)[];
  const chosen = names.filter((name) => stored[name] !== undefined).map((name) => [name, stored[name]]);
  return { ...defaultSettings[chain], ...Object.fromEntries(chosen) };
}
