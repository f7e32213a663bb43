import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createSocketServer } from "node:net";
import type { Duplex } from "node:stream";
import { StartupError } from "../startup-error.ts";
import { BODY_LIMIT, readBody, readRequest, refuseUpgrade, sendResponse } from "./exchange.ts";
import type { GatewayRequest, GatewayResponse, Handle } from "./messages.ts";

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
  /** Takes over requests for another protocol, with their socket. Without it they are answered like any other. */
  upgrade?: ((request: IncomingMessage, socket: Duplex, head: Buffer) => void) | undefined;
  /** Hears of faults that a caller is told of as a plain 500. */
  onFault: (error: unknown) => void;
};

/** Bytes of all names and values. */
const HEADER_LIMIT = 10_240;
const LINGER_MS = 1_000;
/** Far from Node's five seconds, within which a busy machine may leave a client waiting and then reset its connection. */
const KEEP_ALIVE_MS = 60_000;

const localNames = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** Puts a handler of requests on a socket of this machine. */
export function createHttpServer({
  handle,
  own = () => false,
  upgrade,
  onFault,
}: HttpServerOptions): HttpServer {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    serve(request, response).catch((error: unknown) => {
      onFault(error);
      if (response.headersSent) response.destroy();
      else sendResponse(response, refusal(500, "Internal server error"));
    });
  });

  if (upgrade) {
    server.on("upgrade", (request, socket, head) => {
      // From here on the socket is nobody's but ours, its errors too.
      socket.on("error", () => socket.destroy());
      const refused = strangeHost(request) ?? largeHeaders(request);
      if (refused) refuseUpgrade(request, refused);
      else upgrade(request, socket, head);
    });
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const stranger = strangeHost(request);
    if (stranger) return sendResponse(response, stranger);
    if (own(request, response)) return;
    const excess = largeHeaders(request);
    if (excess) return sendResponse(response, excess);
    const body = await readBody(request).catch(() => "client gone" as const);
    if (body === "client gone") return;
    if (body === "too large") return refuseBody(request, response);
    sendResponse(response, await handle(readRequest(request, body)));
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
function strangeHost({ rawHeaders }: IncomingMessage): GatewayResponse | undefined {
  const hosts = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === "host");
  const isOurs = (host: string) => localNames.has(host.toLowerCase().replace(/:\d*$/, ""));
  if (hosts.length > 0 && hosts.every(isOurs)) return undefined;
  return refusal(403, "This server answers to 127.0.0.1 and localhost only.");
}

function largeHeaders({ rawHeaders }: IncomingMessage): GatewayResponse | undefined {
  const size = rawHeaders.reduce((sum, text) => sum + text.length, 0);
  return size > HEADER_LIMIT ? refusal(431, `The headers exceed ${HEADER_LIMIT} bytes.`) : undefined;
}

function refusal(status: number, text: string): GatewayResponse {
  return {
    status,
    headers: [
      ["Content-Type", "text/plain"],
      ["Connection", "close"],
    ],
    body: Buffer.from(text),
  };
}

/**
 * Closing a socket on which bytes still arrive would reset it, and the client would never read the answer. So the answer
 * goes out at once, and what follows is thrown away for a short while before the connection ends.
 */
function refuseBody(request: IncomingMessage, response: ServerResponse): void {
  const text = `HTTP content length exceeded ${BODY_LIMIT} bytes.`;
  response
    .writeHead(413, {
      "Content-Type": "text/plain",
      "Content-Length": Buffer.byteLength(text),
      Connection: "close",
    })
    .write(text);
  const timer = setTimeout(() => response.end(), LINGER_MS);
  request
    .once("close", () => clearTimeout(timer))
    .once("end", () => response.end())
    .resume();
}

export type Listener = { port: number; url: string; close(): Promise<void> };

export type ListenOptions = {
  /** The option of the command line that chooses the port, for who has to choose another. */
  option?: "--port" | "--stream-port";
  upgrade?: HttpServerOptions["upgrade"];
};

/**
 * Serves on 127.0.0.1. Port 0 takes any that is free.
 * @throws StartupError when the port is in use, or is not for us
 */
export async function listen(
  port: number,
  handle: Handle,
  onFault: (error: unknown) => void,
  { option = "--port", upgrade }: ListenOptions = {},
): Promise<Listener> {
  const server = createHttpServer({ handle, upgrade, onFault });
  try {
    const taken = await server.listen(port);
    return { port: taken, url: `http://127.0.0.1:${taken}`, close: server.close };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") {
      throw new StartupError(
        `Port ${port} is in use; stop what listens on it, or choose another with ${option}.`,
      );
    }
    throw new StartupError(`Cannot listen on port ${port} (${code}); choose another with ${option}.`);
  }
}

/** A port of the loopback interface that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createSocketServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
