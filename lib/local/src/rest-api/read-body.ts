import type { IncomingMessage } from "node:http";

/** Bytes. */
export const BODY_LIMIT = 10 * 1024 * 1024;

/**
 * The body of a request, or "too large" as soon as that is known; the rest is left in the stream then.
 *
 * @throws Error when the client goes away
 */
export async function readBody(request: IncomingMessage): Promise<Buffer | "too large"> {
  if (Number(request.headers["content-length"]) > BODY_LIMIT) return "too large";
  const chunks: Buffer[] = [];
  let size = 0;
  // Without the option, leaving the loop would close the socket on which the answer has to go out.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > BODY_LIMIT) return "too large";
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
