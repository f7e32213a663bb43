import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fromWire, toWire } from "./header-text.ts";
import type { GatewayRequest, GatewayResponse, Pair } from "./messages.ts";
import { BODY_LIMIT, readBody } from "./read-body.ts";

export type HttpServer = {
  /** Serves on 127.0.0.1. Port 0 takes any that is free. Resolves with the port. */
  listen(port: number): Promise<number>;
  /** Stops listening and closes every connection, in use or not. */
  close(): Promise<void>;
};

export type HttpServerOptions = {
  handle: (request: GatewayRequest) => Promise<GatewayResponse>;
  /** Serves the runner's own paths: true for a request that it has taken on. */
  own?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Hears of faults that a caller is told of as a plain 500. */
  onFault: (error: unknown) => void;
};

/** Bytes of all names and values. */
const HEADER_LIMIT = 10_240;
const LINGER_MS = 1_000;

const localNames = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** Puts a handler of requests on a socket of this machine. */
export function createHttpServer({ handle, own = () => false, onFault }: HttpServerOptions): HttpServer {
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      onFault(error);
      if (response.headersSent) response.destroy();
      else refuse(response, 500, "Internal server error");
    });
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isForThisMachine(request)) {
      return refuse(response, 403, "This server answers to 127.0.0.1 and localhost only.");
    }
    if (own(request, response)) return;
    if (sizeOf(request.rawHeaders) > HEADER_LIMIT) {
      return refuse(response, 431, `The headers exceed ${HEADER_LIMIT} bytes.`);
    }
    const body = await readBody(request).catch(() => "client gone" as const);
    if (body === "client gone") return;
    if (body === "too large") return refuseBody(request, response);
    send(response, await handle(snapshot(request, body)));
  }

  return {
    listen: (port) =>
      new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen(port, "127.0.0.1", () => {
          server.off("error", reject);
          resolve((server.address() as AddressInfo).port);
        });
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A page of another site can make its own name resolve to 127.0.0.1; the Host header still gives that name away. */
function isForThisMachine({ headersDistinct }: IncomingMessage): boolean {
  const hosts = headersDistinct.host ?? [];
  return hosts.length > 0 && hosts.every((host) => localNames.has(host.toLowerCase().replace(/:\d*$/, "")));
}

function snapshot(request: IncomingMessage, body: Buffer): GatewayRequest {
  const headers: Pair[] = [];
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    headers.push([request.rawHeaders[at] ?? "", fromWire(request.rawHeaders[at + 1] ?? "")]);
  }
  return {
    method: request.method ?? "GET",
    target: request.url ?? "/",
    headers,
    body,
    sourceIp: request.socket.remoteAddress ?? "127.0.0.1",
  };
}

function send(response: ServerResponse, { status, headers, body }: GatewayResponse): void {
  const hasBody = status !== 204 && status !== 304;
  const length: Pair[] = hasBody ? [["Content-Length", String(body.length)]] : [];
  response.writeHead(
    status,
    [...headers, ...length].flatMap(([name, value]) => [name, toWire(value)]),
  );
  response.end(hasBody ? body : undefined);
}

function refuse(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, refusalHeaders(text)).end(text);
}

function refusalHeaders(text: string) {
  return { "Content-Type": "text/plain", "Content-Length": Buffer.byteLength(text), Connection: "close" };
}

/**
 * Closing a socket on which bytes still arrive would reset it, and the client would never read the answer. So the answer
 * goes out at once, and what follows is thrown away for a short while before the connection ends.
 */
function refuseBody(request: IncomingMessage, response: ServerResponse): void {
  const text = `HTTP content length exceeded ${BODY_LIMIT} bytes.`;
  response.writeHead(413, refusalHeaders(text)).write(text);
  const timer = setTimeout(() => response.end(), LINGER_MS);
  request
    .once("close", () => clearTimeout(timer))
    .once("end", () => response.end())
    .resume();
}

function sizeOf(rawHeaders: readonly string[]): number {
  return rawHeaders.reduce((size, text) => size + text.length, 0);
}
