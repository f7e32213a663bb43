import { DomainError } from "./domain-error.ts";

/** The chains that have trading settings. */
export const chains = ["eth", "base", "sol"] as const;

export type Chain = (typeof chains)[number];

export const gasPresets = ["slow", "medium", "fast", "turbo"] as const;

export type GasPreset = (typeof gasPresets)[number];

/** Every setting there is; which of them a chain has is in {@link defaultSettings}. */
export type Settings = {
  /** Percent, above 0 and up to 100. */
  slippage: number;
  gasPreset: GasPreset;
  /** Gwei, above 0. */
  maxGasPrice: number;
  /** SOL, 0 or more. */
  priorityFee: number;
  mevProtection: boolean;
  autoBuy: boolean;
  autoSell: boolean;
};

export type EvmSettings = Omit<Settings, "priorityFee">;
export type SolanaSettings = Omit<Settings, "gasPreset" | "maxGasPrice">;
export type SettingsOf = { eth: EvmSettings; base: EvmSettings; sol: SolanaSettings };

/** What a user changes; absent settings keep their value. */
export type SettingsPatch = { [Name in keyof Settings]?: Settings[Name] | undefined };

/** The settings of a chain before the user touches them, and by that the list of the settings it has. */
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
 * Leaves out what is absent.
 *
 * @throws {DomainError} INVALID_SETTING when the chain has no such setting.
 */
export function checkPatch(chain: Chain, patch: SettingsPatch): Partial<Settings> {
  const changes = Object.entries(patch).filter(([, value]) => value !== undefined);
  const stranger = changes.find(([name]) => !Object.hasOwn(defaultSettings[chain], name))?.[0];
  if (stranger !== undefined)
    throw new DomainError("INVALID_SETTING", `${stranger} is not a setting of chain ${chain}`);
  return Object.fromEntries(changes);
}

/** The settings in force: what the user set, over the defaults, and nothing that the chain does not have. */
export function settingsInForce<C extends Chain>(chain: C, stored: SettingsPatch = {}): SettingsOf[C] {
  const names = Object.keys(defaultSettings[chain]) as (keyof Settings)[];
  const chosen = names.filter((name) => stored[name] !== undefined).map((name) => [name, stored[name]]);
  return { ...defaultSettings[chain], ...Object.fromEntries(chosen) };
}
