import { readAddress } from "../chains/families/address.ts";
import { DomainError } from "../core/domain-error.ts";
import type { Network } from "../core/network.ts";
import {
  type Preset,
  type PresetWarning,
  readPreset,
  type StoredPreset,
  warningsOfLimits,
} from "../orders/preset.ts";
import { walletNotFound } from "../orders/requests.ts";
import { saveVersion } from "../table/save-version.ts";
import { readItem, type Table } from "../table/table.ts";
import { presetKey } from "./items/keys.ts";
import { readPolicyRecord } from "./items/policy-records.ts";
import { ownsWallet } from "./items/trader-records.ts";

type PresetName = { userID: string; chain: Network };

type ShownPreset = { chain: Network; version: number; preset: Preset; warnings: PresetWarning[] };

/**
 * Reads the user's preset of a chain.
 *
 * @throws {DomainError} NO_PRESET
 */
export async function presetOf(table: Table, name: PresetName): Promise<ShownPreset> {
  const stored = await readItem<StoredPreset>(table, presetKey(name));
  if (stored === undefined) throw new DomainError("NO_PRESET", `You have no preset of chain ${name.chain}`);
  return shown(table, stored);
}

/**
 * Replaces the user's preset of a chain. Earlier orders stay as they are.
 *
 * @param expected the versions to accept; 0 means that there is no preset. Undefined accepts every version.
 * @throws {DomainError} INVALID_REQUEST, WALLET_NOT_FOUND, PRECONDITION_FAILED, without writing
 */
export async function savePreset(
  table: Table,
  { userID, chain }: PresetName,
  given: Preset,
  expected?: readonly number[],
): Promise<ShownPreset> {
  const preset = readPreset(chain, { ...given, wallet: readAddress(chain, given.wallet, "wallet") });
  if (!(await ownsWallet(table, { chain, wallet: preset.wallet }, userID))) throw walletNotFound(chain);
  const set = { userID, chain, preset };
  return shown(table, await saveVersion<StoredPreset>(table, presetKey({ userID, chain }), set, expected));
}

async function shown(table: Table, { userID, chain, version, preset }: StoredPreset): Promise<ShownPreset> {
  const policy = await readPolicyRecord(table, { userID, chain, wallet: preset.wallet });
  return { chain, version, preset, warnings: warningsOfLimits(policy?.policy) };
}
