/**
 * Counts the edits that turn one text into the other: added, removed, replaced or swapped characters. Case does not
 * count.
 */
function edits(from: string, to: string): number {
  const [a, b] = [from.toLowerCase(), to.toLowerCase()];
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const line = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      line[column] = Math.min(
        (above[column] ?? 0) + 1,
        (line[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, above] = [above, line];
  }
  return above[b.length] ?? 0;
}

/** Asks about the known word that is nearest to an unknown one. Empty if none differs in a third or less. */
export function didYouMean(unknown: string, known: readonly string[]): string {
  const [nearest] = known
    .map((word) => ({ word, distance: edits(unknown, word) }))
    .filter(({ distance }) => distance <= Math.max(1, Math.floor(unknown.length / 3)))
    .toSorted((one, other) => one.distance - other.distance);
  return nearest === undefined ? "" : `. Did you mean ${nearest.word}?`;
}
