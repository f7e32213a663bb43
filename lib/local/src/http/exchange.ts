import { type IncomingMessage, ServerResponse } from "node:http";
import { fromWire, type GatewayRequest, type GatewayResponse, type Pair, toWire } from "./messages.ts";

/** What Node has received, without its socket. */
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
  // An empty body would still be written apart from the head, by a system call of its own.
  response.end(hasBody && body.length > 0 ? body : undefined);
}

/** Answers a request for another protocol that stays without it, and ends the connection. */
export function refuseUpgrade(request: IncomingMessage, answer: GatewayResponse): void {
  const { socket } = request;
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  try {
    response.assignSocket(socket);
  } catch {
    // An earlier request on that socket still waits for its own answer, which this one must not overtake.
    return void socket.destroy();
  }
  response.once("finish", () => socket.destroySoon());
  sendResponse(response, answer);
}

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
