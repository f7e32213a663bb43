import { readProfileWithSettings } from "../aws/profile-records.ts";
import type { Table } from "../aws/table.ts";
import { readUserKeyRecord, type UserKeyRecord } from "../aws/user-key-records.ts";
import { walletsOfUser } from "../aws/wallet-records.ts";
import { xpAt } from "../domain/experience.ts";
import { planOf } from "../domain/plan.ts";
import { chains, type Settings, settingsInForce } from "../domain/settings.ts";
import { listed } from "../domain/wallet.ts";
import { existingProfile } from "./existing-profile.ts";
import { summaryOf } from "./user-summary.ts";

export type UserDetails = Awaited<ReturnType<typeof readDetails>>;

/**
 * All that an operator may see of a user. Encrypted keys are not even read, and of the API key not the value is told.
 *
 * @throws {OperatorError} when there is no such user.
 */
export async function readDetails(table: Table, userID: string, now: Date) {
  await existingProfile(table, userID);
  const [{ profile, settings }, wallets, record] = await Promise.all([
    readProfileWithSettings(table, userID),
    walletsOfUser(table, userID),
    readUserKeyRecord(table, userID),
  ]);
  const inForce: [string, Partial<Settings>][] = chains.map((chain) => [
    chain,
    settingsInForce(chain, settings[chain]),
  ]);
  return {
    ...summaryOf(profile),
    plan: planOf(profile),
    apiKey: apiKeyOf(record),
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

/** How far a user's API key has come: what is in use, and for which plan the next one is being made. */
function apiKeyOf({ current, next }: Pick<UserKeyRecord, "current" | "next"> = {}) {
  return {
    current: current === undefined ? null : attached(current),
    next: next?.plan ?? null,
  };
}

function attached({ keyID, planID, plan, activeFrom }: NonNullable<UserKeyRecord["current"]>) {
  return { keyID, planID, plan, activeFrom };
}
