import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { type GatewayRequest, type GatewayResponse, header, withOverrides } from "../http/messages.ts";

/** Documented: CloudFront compresses objects of these sizes and, among others, of these types. */
const BYTES = { from: 1000, to: 10_000_000 };
const compressible = /^(text\/(css|html|javascript)|application\/(json|xml)|image\/svg\+xml)$/;

const codings = {
  br: (body: Buffer) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (body: Buffer) => gzipSync(body),
};

/** Bodies by coding and entity tag, because each visit asks for the same ones. */
const known = new Map<string, Buffer>();

/** Compresses a file by Brotli or else by gzip, if the viewer accepts it. Documented: its entity tag becomes weak. */
export function compressedFile(
  answer: GatewayResponse,
  request: Pick<GatewayRequest, "headers">,
): GatewayResponse {
  const accepted = header(request, "accept-encoding") ?? "";
  const coding = (["br", "gzip"] as const).find((each) => new RegExp(`\\b${each}\\b`).test(accepted));
  const { length } = answer.body;
  const isSuitable = length >= BYTES.from && length <= BYTES.to;
  if (coding === undefined || !isSuitable || !compressible.test(header(answer, "content-type") ?? ""))
    return answer;
  const etag = header(answer, "etag") ?? "";
  const key = `${coding} ${etag}`;
  const body = known.get(key) ?? codings[coding](answer.body);
  known.set(key, body);
  return {
    ...answer,
    headers: withOverrides(answer.headers, [
      ["Content-Encoding", coding],
      ["ETag", `W/${etag}`],
      ["Vary", "Accept-Encoding"],
    ]),
    body,
  };
}
