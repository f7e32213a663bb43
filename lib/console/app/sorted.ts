/** A value by which rows are sorted. An empty text and NaN stand for a value that is unknown. */
export type SortKey = number | string;

const isKnown = (key: SortKey) => key !== "" && !Number.isNaN(key);

/**
 * Sorts rows. Rows of equal value keep their order, and those of unknown value come last both ways. Those of `isLast`
 * come after all others.
 */
export function sorted<Row>(
  rows: readonly Row[],
  by: ((row: Row) => SortKey) | undefined,
  isRising: boolean,
  isLast: (row: Row) => boolean = () => false,
): readonly Row[] {
  const keyed = rows.map((row) => ({ row, isLast: isLast(row), key: by?.(row) ?? "" }));
  keyed.sort(({ key: a, ...one }, { key: b, ...other }) => {
    if (one.isLast !== other.isLast) return Number(one.isLast) - Number(other.isLast);
    if (!isKnown(a) || !isKnown(b)) return Number(isKnown(b)) - Number(isKnown(a));
    const order = a < b ? -1 : a > b ? 1 : 0;
    return isRising ? order : -order;
  });
  return keyed.map(({ row }) => row);
}
