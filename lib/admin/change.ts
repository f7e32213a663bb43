/** A field that has another value than before. */
export type Change = { field: string; from: unknown; to: unknown };

/** The fields of `after` that differ from `before`, in their order. All values are scalars. */
export function changesBetween(before: object, after: object): Change[] {
  const old = new Map(Object.entries(before));
  return Object.entries(after)
    .map(([field, to]) => ({ field, from: old.get(field), to }))
    .filter(({ from, to }) => from !== to);
}

/** For example `tier: Base -> Pro`. */
export function changeLine({ field, from = "none", to = "none" }: Change): string {
  return `${field}: ${from} -> ${to}`;
}
