/** Splits items into parts of at most this size, in order. */
export const inPartsOf = <Item>(size: number, items: readonly Item[]): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, part) =>
    items.slice(part * size, (part + 1) * size),
  );
