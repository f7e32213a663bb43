import {
  type ItemLayout,
  type Partition,
  type PartitionLayout,
  type PartitionName,
  type ProtectedPartition,
  partitionNameOf,
  partitions,
} from "./layout.ts";

export type Key = { PK: string; SK: string };

/** Consecutive items of a partition, including the first and the last. */
export type KeyRange = { PK: string; from: string; to: string };

/** Items of one kind in all partitions, for a Scan. */
export type SortKeyRange = Omit<KeyRange, "PK">;

const layouts: readonly PartitionLayout[] = partitions;

export const protectedPartitions = layouts
  .filter(({ isGuarded, isSecret }) => isGuarded || isSecret)
  .map(({ key }) => partitionNameOf(key) as ProtectedPartition);

export const neverExpires = (name: PartitionName): boolean =>
  layouts.some(({ key, neverExpires }) => neverExpires && partitionNameOf(key) === name);

/** Returns the keys of the partitions with this name as a pattern for IAM policies. */
export function leadingKeysOf(name: PartitionName): string {
  const isSingle = layouts.some(({ key }) => key === name);
  return isSingle ? name : `${name}#*`;
}

type PartitionOf = { [One in Partition as keyof One["items"]]: One };

export type ItemName = keyof PartitionOf;

type SortKeyOf<Item extends ItemName> =
  PartitionOf[Item]["items"] extends Record<Item, { key: infer Pattern }> ? Pattern : never;

/** Names that a pattern has in braces. */
type Varying<Pattern> = Pattern extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Varying<Rest>
  : never;

type Values<Pattern> = Readonly<Record<Varying<Pattern>, string | number>>;

type PartitionValues<Item extends ItemName> = Values<PartitionOf[Item]["key"]>;

/** Builds the key of an item from the values for the names in its patterns. */
export function itemKey<Item extends ItemName>(
  item: Item,
  values: PartitionValues<Item> & Values<SortKeyOf<Item>>,
): Key {
  const { PK, SK } = patternsOf(item);
  return { PK: filled(PK, values), SK: filled(SK, values) };
}

/**
 * Covers the items of one kind in a partition whose sort keys begin with these values.
 *
 * @param to The kind of the item at the end of the range, if it differs.
 */
export function rangeOf<Item extends ItemName>(
  item: Item,
  values: PartitionValues<Item> & Partial<Values<SortKeyOf<Item>>>,
  to: ItemName = item,
): KeyRange {
  const { PK, SK } = patternsOf(item);
  return { PK: filled(PK, values), from: startOf(SK, values) || firstSortKey, to: lastOf(to, values) };
}

/** Covers the items of one kind in all partitions. */
export const sortKeysOf = (item: ItemName): SortKeyRange => ({
  from: startOf(patternsOf(item).SK, {}),
  to: lastOf(item, {}),
});

const lastMs = 9_999_999_999_999;

/**
 * Formats a time as 13 digits that decrease with each millisecond, so that later times sort first. Times before 1970
 * count as the first millisecond, and times after 2286 as the last one.
 */
export const newestFirst = (time: Date): string =>
  String(lastMs - Math.min(lastMs, Math.max(0, time.getTime()))).padStart(13, "0");

/** Covers all partitions of a user. */
export const everythingOf = (userID: string): KeyRange[] =>
  layouts
    .filter(({ owner }) => owner === "user")
    .map(({ key }) => ({ PK: filled(key, { userID }), from: firstSortKey, to: endOf("") }));

/** Returns the user of an item in a partition of one user, such as `USER#`. */
export const userOf = ({ PK }: Pick<Key, "PK">): string => PK.slice(PK.indexOf("#") + 1);

/** Makes a text that sorts after every text that begins with the prefix. */
const endOf = (prefix: string) => `${prefix}\u{10FFFF}`;

/** Text that sorts before every sort key, because DynamoDB rejects an empty text. */
const firstSortKey = "0";

/** Returns the kind of the item with this key. Undefined if the layout does not contain the key. */
export function itemAt({ PK, SK }: Key): ItemName | undefined {
  const partition = layouts.find(({ key }) => partitionNameOf(key) === partitionNameOf(PK));
  const found = Object.entries(partition?.items ?? {}).find(([, { key }]) =>
    key.includes("{") ? SK.startsWith(startOf(key, {})) : SK === key,
  );
  return found?.[0] as ItemName | undefined;
}

const items = new Map(
  layouts.flatMap(({ key, items }) =>
    Object.entries(items).map(([name, item]) => [name, { ...item, PK: key, SK: item.key }] as const),
  ),
);

function patternsOf(item: ItemName) {
  const found = items.get(item);
  if (found === undefined) throw new Error(`The layout has no ${item}`);
  return found;
}

export function isOfTheMoment(key: Key): boolean {
  const item = itemAt(key);
  return item !== undefined && patternsOf(item).isOfTheMoment === true;
}

/**
 * Returns the prefixes of the sort keys whose changes go to these receivers. No other sort key begins with such a
 * prefix.
 */
export const sortKeysSentTo = (...receivers: NonNullable<ItemLayout["changesGoTo"]>[]): string[] =>
  [...items.values()]
    .filter(({ changesGoTo }) => changesGoTo !== undefined && receivers.includes(changesGoTo))
    .map(({ SK }) => startOf(SK, {}));

type AnyValues = Readonly<Record<string, string | number | undefined>>;

const filled = (pattern: string, values: AnyValues) =>
  pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name]));

/** Fills in the pattern up to the first name that has no value. */
const startOf = (pattern: string, values: AnyValues) =>
  filled(pattern.slice(0, firstMissing(pattern, values)?.index), values);

const firstMissing = (pattern: string, values: AnyValues) =>
  [...pattern.matchAll(/\{(\w+)\}/g)].find(([, name = ""]) => values[name] === undefined);

function lastOf(item: ItemName, values: AnyValues): string {
  const { SK } = patternsOf(item);
  const start = startOf(SK, values);
  return firstMissing(SK, values) ? endOf(start) : start;
}
