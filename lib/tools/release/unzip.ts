import { crc32, inflateRawSync } from "node:zlib";

/** Longest content of a file, far above that of a bundle and its map. */
const maxBytes = 50 * 1024 * 1024;

const [endMark, entryMark, localMark] = [0x06054b50, 0x02014b50, 0x04034b50];

/**
 * Reads all files of a zip.
 *
 * @throws if it is damaged, has a name twice, or is of a kind that Lambda's packages never are
 */
export function unzip(zip: Buffer): Map<string, Buffer> {
  const end = endOf(zip);
  const files = new Map<string, Buffer>();
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    if (zip.readUInt32LE(at) !== entryMark) throw new Error("The zip has a damaged list of files");
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((field) =>
      zip.readUInt16LE(at + field),
    );
    const next = at + 46 + (nameLength ?? 0);
    const name = zip.toString("utf8", at + 46, next);
    if (files.has(name)) throw new Error(`The zip has ${name} twice`);
    files.set(name, contentOf(zip, at, name));
    at = next + (extraLength ?? 0) + (commentLength ?? 0);
  }
  return files;
}

/** Finds the record at the end, after which only a comment of up to 64 KB follows. */
function endOf(zip: Buffer): number {
  const first = Math.max(0, zip.length - 22 - 0xffff);
  for (let at = zip.length - 22; at >= first; at--) if (zip.readUInt32LE(at) === endMark) return at;
  throw new Error("The download is no zip");
}

function contentOf(zip: Buffer, entry: number, name: string): Buffer {
  const method = zip.readUInt16LE(entry + 10);
  const local = zip.readUInt32LE(entry + 42);
  if (zip.readUInt32LE(local) !== localMark) throw new Error(`The zip has no content of ${name}`);
  const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
  const packed = zip.subarray(start, start + zip.readUInt32LE(entry + 20));
  if (method !== 0 && method !== 8) throw new Error(`The zip packs ${name} by the unknown method ${method}`);
  const content = method === 0 ? packed : inflateRawSync(packed, { maxOutputLength: maxBytes });
  if (crc32(content) !== zip.readUInt32LE(entry + 16))
    throw new Error(`The zip has damaged content of ${name}`);
  return content;
}
