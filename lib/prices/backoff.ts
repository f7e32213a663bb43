import type { Timings } from "./timings.ts";

/**
 * How long to wait before trying again, in milliseconds: somewhere between the least and a ceiling that doubles with each
 * failure in a row, so that those who lost a venue at the same time do not all come back at the same time.
 *
 * @param chance from 0 to 1
 */
export function backoff(failures: number, { least, most }: Timings["reconnect"], chance: number): number {
  const ceiling = Math.min(most, least * 2 ** failures);
  return least + chance * (ceiling - least);
}
