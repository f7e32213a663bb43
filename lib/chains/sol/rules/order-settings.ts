import { roundedDown } from "../../../orders/percent.ts";
import { type SettingsPatch, type SolanaSettings, settingsInForce } from "../../../users/settings.ts";

/** Default settings of an order on Solana. */
export type SolOrderSettings = Pick<SolanaSettings, "slippage" | "priorityFee" | "mevProtection">;

/** Merges a user's stored settings for sol with the defaults. */
export function solOrderSettingsOf(stored?: SettingsPatch): SolOrderSettings {
  const { slippage, priorityFee, mevProtection } = settingsInForce("sol", stored);
  return { slippage: roundedDown(slippage), priorityFee, mevProtection };
}
