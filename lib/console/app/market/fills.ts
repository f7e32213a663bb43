import type { Mark } from "./bars.ts";

/** Fills that the chart shows by one marker, because they lie too close together for several. */
export type FillGroup = {
  /** Start of the bar at which the marker stands, in epoch seconds. */
  time: number;
  fills: readonly Mark[];
};

/**
 * Groups fills for markers that never overlap: each stands at least `barsApart` bars after the one before.
 *
 * @param times Starts of all bars, in order. Fills before the first bar are left out. Those after the last one stand
 *   there, until the market is known up to their time.
 */
export function groupedFills(
  fills: readonly Mark[],
  times: readonly number[],
  barsApart: number,
): FillGroup[] {
  const placeOf = new Map(times.map((time, place) => [time, place]));
  const last = times.at(-1) ?? Number.NEGATIVE_INFINITY;
  const groups: (FillGroup & { place: number; fills: Mark[] })[] = [];
  for (const fill of fills) {
    const time = Math.min(fill.time, last);
    const place = placeOf.get(time);
    if (place === undefined) continue;
    const before = groups.at(-1);
    if (before !== undefined && place - before.place < barsApart) before.fills.push(fill);
    else groups.push({ place, time, fills: [fill] });
  }
  return groups.map(({ time, fills }) => ({ time, fills }));
}

/** Number of bars that a marker covers, as a power of 2, so that zooming seldom changes the groups. */
export function barsUnder(markerPixels: number, barPixels: number): number {
  if (!(barPixels > 0)) return 1;
  return 2 ** Math.max(0, Math.ceil(Math.log2(markerPixels / barPixels)));
}

/** Tone of a marker: of one side, or of both. */
export function sideOf({ fills }: FillGroup): Mark["side"] | "both" {
  const [first] = fills;
  return first !== undefined && fills.every(({ side }) => side === first.side) ? first.side : "both";
}
