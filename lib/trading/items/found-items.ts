import { settingsFamily } from "../../chains/families/settings.ts";
import type { Network } from "../../core/network.ts";
import { chains } from "../../core/network.ts";
import type { WeiPerGas } from "../../core/units.ts";
import type { Cutoffs } from "../../orders/cutoffs.ts";
import type { FamilyTypes } from "../../orders/family.ts";
import type { LaneKey } from "../../orders/intent.ts";
import { type Preset, switchesOf } from "../../orders/preset.ts";
import type { ProgramFacts } from "../../orders/program-limits.ts";
import type { Cutoff, Kind, Lane, Names } from "../../orders/table-step.ts";
import type { Limits, PolicyKey } from "../../orders/wallet-policy.ts";
import { getItems } from "../../table/batch-get.ts";
import type { Key } from "../../table/keys.ts";
import type { Item, Table } from "../../table/table.ts";
import { sealedKeyKey } from "../../table/wallet-keys.ts";
import { settingsKey } from "../../users/item-keys.ts";
import type { SettingsPatch } from "../../users/settings.ts";
import { contentOf, keysOfItems, type StoredItems } from "./items.ts";
import { earlierStopKey, laneKey, lanePlaceKey, tradingStopKey } from "./keys.ts";
import type { LanePlace } from "./lane-places.ts";

/** A wallet's encrypted private key as it is stored. */
export type SealedWallet = { walletId: string; encryptedPrivateKey: Uint8Array };

type Known = Exclude<Kind, "wallet" | "lane">;

/** Items that were read together. */
class Found {
  /** Items by key. The value is undefined if there is no item with the key. */
  readonly #items: ReadonlyMap<string, Item<object> | undefined>;

  constructor(keys: readonly Key[], items: readonly Item<object>[], before?: Found) {
    this.#items = new Map<string, Item<object> | undefined>([
      ...(before === undefined ? [] : before.#items),
      ...keys.map((key) => [keyText(key), undefined] as const),
      ...items.map((item) => [keyText(item), item] as const),
    ]);
  }

  wasRead = (key: Key): boolean => this.#items.has(keyText(key));

  has = (key: Key): boolean => this.#items.get(keyText(key)) !== undefined;

  get<K extends Known>(kind: K, name: Names[K]): StoredItems[K] | undefined {
    const item = this.stored(kind, name);
    return item && contentOf(kind, item);
  }

  lane(name: LaneKey, shard: number): Lane | undefined {
    const item = this.#items.get(keyText(laneKey(name, shard)));
    return item && contentOf("lane", item);
  }

  /** Returns the shard that a wallet's lane is in. */
  laneShard = (name: LaneKey): number | undefined =>
    (this.#items.get(keyText(lanePlaceKey(name))) as Partial<LanePlace> | undefined)?.shard;

  /** Returns an item as it is stored. */
  stored = <K extends Known>(kind: K, name: Names[K]): Item<object> | undefined =>
    this.#items.get(keyText(keysOfItems[kind](name)));

  all<K extends Known>(kind: K, names: readonly Names[K][]): StoredItems[K][] {
    return names.flatMap((name) => this.get(kind, name) ?? []);
  }

  /** True if the user no longer has the wallet. */
  isRetired({ chain, wallet }: LaneKey, userID: string): boolean {
    const item = this.#items.get(keyText(keysOfItems.wallet({ chain, wallet, userID })));
    return item === undefined || "retiredAt" in item;
  }

  /** Returns the key of a wallet if it was read. */
  sealedWallet({ chain, wallet }: LaneKey, userID: string): SealedWallet | undefined {
    const item = this.#items.get(keyText(sealedKeyKey(userID, chain, wallet)));
    const { walletId, encryptedPrivateKey } = (item ?? {}) as Partial<SealedWallet>;
    const isWhole = typeof walletId === "string" && encryptedPrivateKey instanceof Uint8Array;
    return isWhole ? { walletId, encryptedPrivateKey } : undefined;
  }

  /** Returns the wallet's policy and its spending on a day. */
  limits = (wallet: PolicyKey, day: string): Limits => ({
    stored: this.get("policy", wallet),
    count: this.get("day", { ...wallet, day }),
  });

  /** Returns a program key and its count of a day. */
  program = (names: ProgramNames | undefined): ProgramFacts | undefined =>
    names && { key: this.get("programKey", names.key), count: this.get("keyDay", names.count) };

  /** Returns the user's cancellations of many orders as they are stored, because `isCutOff` judges any value. */
  cutoffs = ({ chain, wallet }: LaneKey, userID: string): Cutoffs => ({
    all: this.stored("cutoff", { userID, lane: { chain, wallet } }) as Item<Cutoff> | undefined,
    wallet: this.stored("cutoff", { userID, chain, wallet }) as Item<Cutoff> | undefined,
  });

  isStopped = (chain: Network): boolean => this.has(tradingStopKey(chain)) || this.has(earlierStopKey(chain));

  /** Returns the user's settings for orders on a chain. */
  settings = (chain: Network, userID: string): FamilyTypes["trader"]["settings"] =>
    settingsFamily(chain).settingsOf(chain, this.storedSettings(chain, userID));

  /** Returns the settings that the user has changed. Undefined on a chain without settings. */
  storedSettings(chain: Network, userID: string): SettingsPatch | undefined {
    const [key] = settingsKeysOf(chain, userID);
    return key && (this.#items.get(keyText(key)) as SettingsPatch | undefined);
  }

  /** Returns the exits of the user's preset, if the switch for them is on. */
  presetExits(chain: Network, userID: string): Preset["exits"] | undefined {
    const preset = this.get("preset", { userID, chain })?.preset;
    return switchesOf(chain, this.storedSettings(chain, userID), preset).autoSell ? preset?.exits : undefined;
  }

  maxGasPrice = (chain: Network, userID: string): WeiPerGas =>
    settingsFamily(chain).maxGasPriceOf(chain, this.storedSettings(chain, userID));
}

/** Names a program key, and its count of a day. */
export type ProgramNames = { key: Names["programKey"]; count: Names["keyDay"] };

/** @param keyId Undefined for orders of users. */
export const namesOfProgram = (
  { userID, chain }: { userID: string; chain: Network },
  keyId: string | undefined,
  day: string,
): ProgramNames | undefined =>
  keyId === undefined ? undefined : { key: { userID, keyId }, count: { userID, chain, wallet: keyId, day } };

export const keysOfProgram = (names: ProgramNames | undefined): Key[] =>
  names === undefined ? [] : [keysOfItems.programKey(names.key), keysOfItems.keyDay(names.count)];

/** Turns a key into text, to use it as the key of a map. */
export const keyText = ({ PK, SK }: Key) => JSON.stringify([PK, SK]);

/** Reads items, a hundred per call, and adds them to those read before. */
export async function find(table: Table, keys: readonly Key[], before?: Found): Promise<Found> {
  const left = keys.filter((key) => !before?.wasRead(key));
  const different = [...new Map(left.map((key) => [keyText(key), key])).values()];
  return new Found(different, await getItems<object>(table, different), before);
}

const earlierStopMs = 60_000;

/** For each chain, the time when this process last found no stop in the form that earlier builds write. */
const foundNone = new WeakMap<Table, Map<Network, number>>();

/**
 * Reads items, and whether trading is stopped on a chain.
 *
 * Earlier builds keep the stops of all chains in one partition. If every order read it, the partition would be
 * overloaded. So if a process finds no stop there, it looks again only after a minute; if it finds one, each read looks
 * there.
 */
export async function findOnChain(
  table: Table,
  chain: Network,
  keys: readonly Key[],
  before?: Found,
): Promise<Found> {
  const now = Date.now();
  const none = foundNone.get(table) ?? new Map<Network, number>();
  foundNone.set(table, none);
  const ageMs = now - (none.get(chain) ?? Number.NEGATIVE_INFINITY);
  // Rejects results from the future, because otherwise a clock that was set back would keep an old result.
  const isKnown = ageMs >= 0 && ageMs < earlierStopMs;
  const earlier = earlierStopKey(chain);
  const stops = [tradingStopKey(chain), ...(isKnown ? [] : [earlier])];
  const found = await find(table, [...stops, ...keys], before);
  if (!isKnown && !found.has(earlier)) none.set(chain, now);
  return found;
}

/** Returns no key for a chain without settings. */
export const settingsKeysOf = (chain: Network, userID: string): Key[] =>
  chains.filter((each) => each === chain).map((each) => settingsKey(userID, each));

/**
 * Builds the keys of a user's facts: whether the user may still trade with a wallet, their cancellations of many
 * orders, their policy and settings, and their spending on the day.
 */
export const keysOfUser = ({ chain, wallet }: LaneKey, userID: string, day: string): Key[] => [
  keysOfItems.wallet({ chain, wallet, userID }),
  keysOfItems.cutoff({ userID, lane: { chain, wallet } }),
  keysOfItems.cutoff({ userID, chain, wallet }),
  keysOfItems.policy({ chain, wallet, userID }),
  keysOfItems.day({ chain, wallet, userID, day }),
  ...settingsKeysOf(chain, userID),
];
