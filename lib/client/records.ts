type Versioned = { version: number };

/** Records by their ids, and in their order. Not changed, but replaced. */
export type Records<Item extends Versioned> = {
  readonly byId: ReadonlyMap<string, Item>;
  readonly newestFirst: readonly Item[];
};

export const noRecords: Records<never> = { byId: new Map<string, never>(), newestFirst: [] };

type PlaceOf<Item> = (item: Item) => { id: string; time: string };

/** The greater version of each counts. Returns the same object if nothing changes. */
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

/** Where the item is, or should be: sorting all of them again would take longer the more there are. */
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

/** Later, or at the same time with a greater id. Times may have milliseconds, or not. */
function isAfter(one: Place, other: Place): boolean {
  const laterMs = msOf(one) - msOf(other);
  return laterMs === 0 ? one.id > other.id : laterMs > 0;
}

const msOf = ({ time }: Place) => Date.parse(time) || 0;
