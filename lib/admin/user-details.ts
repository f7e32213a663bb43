import { readProfileWithSettings } from "../aws/profiles.ts";
import type { Table } from "../aws/table.ts";
import { walletsOfUser } from "../aws/wallets.ts";
import { xpAt } from "../domain/experience.ts";
import { chains, type Settings, settingsInForce } from "../domain/settings.ts";
import { listed } from "../domain/wallet.ts";
import { existingProfile } from "./existing-profile.ts";
import { summaryOf } from "./user-summary.ts";

export type UserDetails = Awaited<ReturnType<typeof readDetails>>;

/**
 * All that an operator may see of a user. Encrypted keys are not even read.
 *
 * @throws {OperatorError} when there is no such user.
 */
export async function readDetails(table: Table, userID: string, now: Date) {
  await existingProfile(table, userID);
  const [{ profile, settings }, wallets] = await Promise.all([
    readProfileWithSettings(table, userID),
    walletsOfUser(table, userID),
  ]);
  const inForce: [string, Partial<Settings>][] = chains.map((chain) => [
    chain,
    settingsInForce(chain, settings[chain]),
  ]);
  return {
    ...summaryOf(profile),
    xp: xpAt(profile.experience, now),
    refID: profile.refID,
    referredBy: profile.referredBy ?? null,
    createdAt: profile.createdAt,
    settings: Object.fromEntries(inForce),
    wallets: listed(wallets).map(({ _id, network, generatedWalletAddress, slotName, createdAt }) => ({
      _id,
      network,
      address: generatedWalletAddress,
      slotName,
      createdAt,
    })),
  };
}
