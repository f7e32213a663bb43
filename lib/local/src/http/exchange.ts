import { type IncomingMessage, ServerResponse } from "node:http";
import { fromWire, toWire } from "../rest-api/header-text.ts";
import type { GatewayRequest, GatewayResponse, Pair } from "../rest-api/messages.ts";

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
