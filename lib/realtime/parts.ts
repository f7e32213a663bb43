/** Bytes of data in one message. API Gateway takes 128 KB; what is around the data fits into the rest. */
const mostBytes = 120_000;

/** Splits a list into the fewest parts that fit into a message each, in order. Of an empty list there is one, empty. */
export function inParts<Item>(items: readonly Item[]): Item[][] {
  let part: Item[] = [];
  const parts = [part];
  let bytes = 0;
  for (const item of items) {
    const size = Buffer.byteLength(JSON.stringify(item)) + 1;
    if (part.length > 0 && bytes + size > mostBytes) {
      part = [];
      parts.push(part);
      bytes = 0;
    }
    part.push(item);
    bytes += size;
  }
  return parts;
}
