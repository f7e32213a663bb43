import type { EvmChain } from "../../core/chain-facts.ts";
import { familyOf } from "../../core/chain-facts.ts";
import type { Network } from "../../core/network.ts";
import type { WeiPerGas } from "../../core/units.ts";
import type { FamilyTypes } from "../../orders/family.ts";
import type { SettingsPatch } from "../../users/settings.ts";
import { evmOrderSettingsOf, maxGasPriceOf } from "../evm/rules/order-settings.ts";
import { solOrderSettingsOf } from "../sol/rules/order-settings.ts";
import type { Family } from "./family.ts";

type SettingsFamily<Chain extends Network = Network> = {
  /** Merges a user's stored settings with the defaults of a chain. */
  settingsOf(chain: Chain, stored: SettingsPatch | undefined): FamilyTypes["trader"]["settings"];
  /** Returns the user's highest gas price. 0 on chains without gas. */
  maxGasPriceOf(chain: Chain, stored: SettingsPatch | undefined): WeiPerGas;
};

const evmSettings: SettingsFamily<EvmChain> = { settingsOf: evmOrderSettingsOf, maxGasPriceOf };

const families: Readonly<Record<Family, SettingsFamily>> = {
  evm: evmSettings,
  sol: { settingsOf: (_, stored) => solOrderSettingsOf(stored), maxGasPriceOf: () => 0n },
};

export const settingsFamily = (chain: Network): SettingsFamily => families[familyOf(chain)];
