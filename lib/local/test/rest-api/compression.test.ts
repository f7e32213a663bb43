import { gunzipSync, inflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Pair } from "../../src/http/messages.ts";
import { compressed } from "../../src/rest-api/compression.ts";

const body = Buffer.from("a".repeat(1024));
const response = { status: 200, headers: [["ETag", '"5"']] as Pair[], body };
const accepting = (value?: string) => ({
  headers: value === undefined ? [] : ([["accept-encoding", value]] as Pair[]),
});
const codingOf = ({ headers }: { headers: readonly Pair[] }) =>
  headers.find(([name]) => name === "Content-Encoding")?.[1];

describe("compressed", () => {
  it.each([
    ["gzip, deflate, br", "gzip"],
    ["gzip", "gzip"],
    ["deflate", "deflate"],
    ["deflate;q=0.5, gzip;q=0.8", "gzip"],
    ["br, gzip", undefined],
    ["br;q=0.9, gzip", "gzip"],
    ["gzip;q=0", undefined],
    ["identity", undefined],
    ["*", undefined],
    [undefined, undefined],
  ])("answers Accept-Encoding %j with the coding %j", (accept, coding) => {
    expect(codingOf(compressed(response, accepting(accept), 1024))).toBe(coding);
  });

  it("keeps the content and the other headers when it compresses", () => {
    const gzipped = compressed(response, accepting("gzip"), 1024);
    expect(gzipped.headers).toEqual([
      ["ETag", '"5"'],
      ["Content-Encoding", "gzip"],
    ]);
    expect(gunzipSync(gzipped.body)).toEqual(body);
    expect(inflateSync(compressed(response, accepting("deflate"), 0).body)).toEqual(body);
  });

  it("leaves small or already compressed responses and those of other APIs unchanged", () => {
    const encoded = { ...response, headers: [["content-encoding", "br"]] as Pair[] };
    expect(compressed(response, accepting("gzip"), 1025)).toBe(response);
    expect(compressed(encoded, accepting("gzip"), 0)).toBe(encoded);
    expect(compressed(response, accepting("gzip"), undefined)).toBe(response);
  });
});
