import { type IncomingMessage, ServerResponse } from "node:http";
import { fromWire, type GatewayRequest, type GatewayResponse, type Pair, toWire } from "./messages.ts";

export function readRequest(request: IncomingMessage, body: Buffer): GatewayRequest {
  return {
    method: request.method ?? "GET",
    target: request.url ?? "/",
    headers: pairs(request.rawHeaders),
    body,
    sourceIp: request.socket.remoteAddress ?? "127.0.0.1",
  };
}

function pairs(rawHeaders: readonly string[]): Pair[] {
  const headers: Pair[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    headers.push([rawHeaders[at] ?? "", fromWire(rawHeaders[at + 1] ?? "")]);
  }
  return headers;
}

export function sendResponse(response: ServerResponse, { status, headers, body }: GatewayResponse): void {
  const hasBody = status !== 204 && status !== 304;
  const length: Pair[] = hasBody ? [["Content-Length", String(body.length)]] : [];
  response.writeHead(
    status,
    [...headers, ...length].flatMap(([name, value]) => [name, toWire(value)]),
  );
  // Ends without a body, because Node would write an empty one separately, with one more system call.
  response.end(hasBody && body.length > 0 ? body : undefined);
}

/** Refuses an upgrade request and ends the connection. */
export function refuseUpgrade(request: IncomingMessage, answer: GatewayResponse): void {
  const { socket } = request;
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  try {
    response.assignSocket(socket);
  } catch {
    // Closes the socket, because the answer to an earlier request on it is still due and must come first.
    return void socket.destroy();
  }
  response.once("finish", () => socket.destroySoon());
  sendResponse(response, answer);
}

/** Limit in bytes for all names and values together. */
const HEADER_LIMIT_BYTES = 10_240;

/**
 * Refuses a request with too many or too long headers.
 *
 * @param wire names and values in turn, one character per byte
 */
export function largeHeaders(wire: readonly string[]): GatewayResponse | undefined {
  const size = wire.reduce((sum, text) => sum + text.length, 0);
  return size > HEADER_LIMIT_BYTES
    ? refusal(431, `The headers exceed ${HEADER_LIMIT_BYTES} bytes.`)
    : undefined;
}

/** Refuses a request before a service reads it, and ends the connection. */
export function refusal(status: number, text: string): GatewayResponse {
  return {
    status,
    headers: [
      ["Content-Type", "text/plain"],
      ["Connection", "close"],
    ],
    body: Buffer.from(text),
  };
}

export const BODY_LIMIT_BYTES = 10 * 1024 * 1024;

/**
 * Reads a body. Resolves to "too large" as soon as it exceeds the limit, and leaves the rest in the stream.
 *
 * @throws {Error} if the client disconnects
 */
export async function readBody(request: IncomingMessage): Promise<Buffer | "too large"> {
  if (Number(request.headers["content-length"]) > BODY_LIMIT_BYTES) return "too large";
  const chunks: Buffer[] = [];
  let size = 0;
  // Keeps the socket open when the loop ends early, because the answer still needs it.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > BODY_LIMIT_BYTES) return "too large";
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
