type Versioned = { version: number };

/** An immutable list of records, also indexed by id. */
export type Records<Item extends Versioned> = {
  readonly byId: ReadonlyMap<string, Item>;
  readonly newestFirst: readonly Item[];
};

export const noRecords: Records<never> = { byId: new Map<string, never>(), newestFirst: [] };

type PlaceOf<Item> = (item: Item) => { id: string; time: string };

/** Keeps the highest version of each record. Returns the same object if nothing changes. */
export function withNewer<Item extends Versioned>(
  known: Records<Item>,
  items: readonly Item[],
  placeOf: PlaceOf<Item>,
): Records<Item> {
  let changed: { byId: Map<string, Item>; newestFirst: Item[] } | undefined;
  for (const item of items) {
    const { id } = placeOf(item);
    const old = (changed ?? known).byId.get(id);
    if (old !== undefined && item.version <= old.version) continue;
    changed ??= { byId: new Map(known.byId), newestFirst: [...known.newestFirst] };
    changed.byId.set(id, item);
    const { newestFirst } = changed;
    if (old !== undefined) newestFirst.splice(indexFor(old, newestFirst, placeOf), 1);
    newestFirst.splice(indexFor(item, newestFirst, placeOf), 0, item);
  }
  return changed ?? known;
}

/** Finds the index of an item, or the index at which to insert it. Sorting all items again would be slow. */
function indexFor<Item>(item: Item, newestFirst: readonly Item[], placeOf: PlaceOf<Item>): number {
  let first = 0;
  let end = newestFirst.length;
  while (first < end) {
    const middle = (first + end) >> 1;
    if (isAfter(placeOf(newestFirst[middle] as Item), placeOf(item))) first = middle + 1;
    else end = middle;
  }
  return first;
}

type Place = ReturnType<PlaceOf<unknown>>;

/**
 * True if the first record is later than the second, or has the same time and a higher id. Times may lack milliseconds.
 */
function isAfter(one: Place, other: Place): boolean {
  const laterMs = msOf(one) - msOf(other);
  return laterMs === 0 ? one.id > other.id : laterMs > 0;
}

const msOf = ({ time }: Place) => Date.parse(time) || 0;

/** Merges items with known ones that have the same key. Returns the same object if nothing changes. */
export function merged<Key, Item>(
  known: ReadonlyMap<Key, Item>,
  items: readonly Item[],
  keyOf: (item: Item) => Key,
  join: (item: Item, old: Item) => Item,
): ReadonlyMap<Key, Item> {
  let result: Map<Key, Item> | undefined;
  for (const item of items) {
    const key = keyOf(item);
    const old = (result ?? known).get(key);
    const next = old === undefined ? item : join(item, old);
    if (next !== old) result = (result ?? new Map(known)).set(key, next);
  }
  return result ?? known;
}

/** Replaces parts of an object. Returns the same object if nothing changes. */
export const withParts = <Whole extends object>(whole: Whole, parts: Partial<Whole>): Whole =>
  (Object.keys(parts) as (keyof Whole)[]).every((name) => whole[name] === parts[name])
    ? whole
    : { ...whole, ...parts };
