/** Returns the next number from 0 to 1 (exclusive). The same seed gives the same sequence. */
export type Random = () => number;

export const seededRandom = (seed: string | number): Random => mulberry32(hash(String(seed)));

/** @param state a 32-bit integer; states of independent sequences should differ in many bits */
export function mulberry32(state: number): Random {
  let current = state;
  return () => {
    current = (current + 0x6d2b79f5) | 0;
    let mixed = Math.imul(current ^ (current >>> 15), current | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Computes the FNV-1a hash. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193);
  return value;
}
