/** Bytes before the payload length of a frame. */
const SHORT_HEAD_BYTES = 2;
/** Bytes of a longer payload length, by the seven bits that announce it. */
const lengthBytes: Record<number, number> = { 126: 2, 127: 8 };
const MASK_BYTES = 4;

/**
 * Measures the frames in a client's bytes, all of which are masked.
 *
 * @returns a function that takes the next bytes and returns the payload size of the largest frame that begins in them
 */
export function frameSizes(): (chunk: Buffer) => number {
  let head = Buffer.alloc(0);
  /** Bytes of the current frame after its head. */
  let rest = 0;

  return (chunk) => {
    let largest = 0;
    for (let at = 0; at < chunk.length; ) {
      if (rest > 0) {
        const passed = Math.min(rest, chunk.length - at);
        rest -= passed;
        at += passed;
        continue;
      }
      head = Buffer.concat([head, chunk.subarray(at, ++at)]);
      const short = head.length < SHORT_HEAD_BYTES ? undefined : head.readUInt8(1) & 0x7f;
      const more = lengthBytes[short ?? 0] ?? 0;
      if (short === undefined || head.length < SHORT_HEAD_BYTES + more) continue;
      const size = more === 0 ? short : Number.parseInt(head.toString("hex", SHORT_HEAD_BYTES), 16);
      largest = Math.max(largest, size);
      [head, rest] = [Buffer.alloc(0), MASK_BYTES + size];
    }
    return largest;
  };
}
