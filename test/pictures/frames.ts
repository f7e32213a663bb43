/** A picture of the page, how long it was seen, and whether that was a wait for the product. */
export type Frame = { png: Buffer; ms: number; isWait: boolean };

/** Length of the animation, in milliseconds. */
export const animationMs = 20_000;

/** Maximum size of the pictures together: a reader of the README loads both. */
export const mostBytes = 1_500_000;

/** Shortest time that a frame of a wait is shown. */
const leastMs = 50;

/** Makes one frame of equal ones that follow each other. */
export function joinEqual(frames: readonly Frame[]): Frame[] {
  const joined: Frame[] = [];
  for (const frame of frames) {
    const before = joined.at(-1);
    if (before?.isWait === frame.isWait && before.png.equals(frame.png)) before.ms += frame.ms;
    else joined.push({ ...frame });
  }
  return joined;
}

/**
 * Makes a recording take exactly the given time: waits become shorter or longer, and what the user does keeps its pace.
 * Leaves out frames of waits that would flash by.
 *
 * @throws {Error} if the user does too much, or too little
 */
export function fitted(frames: readonly Frame[], totalMs: number): Frame[] {
  const sumOf = (some: readonly Frame[]) => some.reduce((sum, { ms }) => sum + ms, 0);
  const doneMs = sumOf(frames.filter(({ isWait }) => !isWait));
  const waitedMs = sumOf(frames) - doneMs;
  const pace = (totalMs - doneMs) / waitedMs;
  if (!(pace > 0 && pace <= 2))
    throw new Error(`${doneMs} ms of actions and ${waitedMs} ms of waits do not fit ${totalMs} ms`);
  const kept: Frame[] = [];
  let passedMs = 0;
  let shownMs = 0;
  for (const frame of frames) {
    passedMs += frame.isWait ? frame.ms * pace : frame.ms;
    const ms = Math.round(passedMs) - shownMs;
    if (frame.isWait && ms < leastMs) continue;
    kept.push({ ...frame, ms });
    shownMs += ms;
  }
  const last = kept.at(-1);
  if (last !== undefined) last.ms += totalMs - shownMs;
  return kept;
}

/** Reads how long each frame of a WebP file is shown, in milliseconds. A still picture has none. */
export function delaysIn(webp: Buffer): number[] {
  const delays: number[] = [];
  // After the header of 12 bytes, each chunk has a name, its length and its content, of an even number of bytes.
  for (let at = 12; at < webp.length; ) {
    const length = webp.readUInt32LE(at + 4);
    if (webp.toString("latin1", at, at + 4) === "ANMF") delays.push(webp.readUIntLE(at + 20, 3));
    at += 8 + length + (length % 2);
  }
  return delays;
}

/** @throws {Error} if the pictures are larger together than a reader should have to load */
export function checkSize(sizes: Readonly<Record<string, number>>): void {
  const bytes = Object.values(sizes).reduce((sum, size) => sum + size, 0);
  if (bytes <= mostBytes) return;
  const each = Object.entries(sizes).map(([name, size]) => `${name} ${size}`);
  throw new Error(`The pictures have ${bytes} bytes, and may have ${mostBytes}: ${each.join(", ")}`);
}
