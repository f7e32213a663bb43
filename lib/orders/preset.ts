import { DomainError } from "../core/domain-error.ts";
import { chains, type Network } from "../core/network.ts";
import type { Settings, SettingsPatch } from "../users/settings.ts";
import { coinText, coinUnitsFrom } from "./decimal-text.ts";
import type { PercentExit } from "./resting/exits/given.ts";
import type { WalletPolicy } from "./wallet-policy.ts";

/** Switches that let the service trade for its user: fill in automatic buys, and add exits to buys. */
export type Switches = Pick<Settings, "autoBuy" | "autoSell">;

/**
 * A user's instructions for automatic orders on a chain. Amounts are decimal text in the chain's coin, and taxes and
 * slippage percent. Chains without settings have the switches here.
 */
export type Preset = {
  wallet: string;
  buyAmount: string;
  slippage?: number | undefined;
  exits: PercentExit[];
  maxBuyTax: number;
  maxSellTax: number;
  minLiquidity?: string | undefined;
} & { readonly [Name in keyof Switches]?: boolean | undefined };

/** A preset as stored. Each change adds 1 to `version`. */
export type StoredPreset = { userID: string; chain: Network; preset: Preset; version: number };

export const hasSettings = (chain: Network): boolean => chains.some((each) => each === chain);

/**
 * Reads a preset from a request. Switches that are absent are off.
 *
 * @throws {DomainError} INVALID_REQUEST with the field
 */
export function readPreset(chain: Network, { autoBuy, autoSell, ...given }: Preset): Preset {
  const { buyAmount, minLiquidity } = given;
  const [stranger] = Object.entries({ autoBuy, autoSell }).flatMap(([field, value]) =>
    value === undefined ? [] : field,
  );
  if (stranger !== undefined && hasSettings(chain)) {
    const message = `${stranger} is among the trading settings of ${chain}`;
    throw new DomainError("INVALID_REQUEST", message, { field: stranger });
  }
  return {
    ...given,
    buyAmount: coinText(chain, coinUnitsFrom(chain, buyAmount, "buyAmount")),
    ...(minLiquidity !== undefined && {
      minLiquidity: coinText(chain, coinUnitsFrom(chain, minLiquidity, "minLiquidity")),
    }),
    ...(!hasSettings(chain) && { autoBuy: autoBuy ?? false, autoSell: autoSell ?? false }),
  };
}

export const presetWarnings = [
  /** The wallet's policy does not limit what it spends in a day. */
  "NO_DAY_LIMIT",
] as const;

export type PresetWarning = (typeof presetWarnings)[number];

export const warningsOfLimits = (policy: WalletPolicy | undefined): PresetWarning[] =>
  policy?.maxPerDay === undefined ? ["NO_DAY_LIMIT"] : [];

/** Returns the switches of a chain, which are in the user's settings or, without settings, in the preset. */
export function switchesOf(
  chain: Network,
  settings: SettingsPatch | undefined,
  preset: Preset | undefined,
): Switches {
  const { autoBuy = false, autoSell = false } = (hasSettings(chain) ? settings : preset) ?? {};
  return { autoBuy, autoSell };
}
