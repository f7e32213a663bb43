import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createSocketServer } from "node:net";
import type { Duplex } from "node:stream";
import { StartupError } from "../startup-error.ts";
import {
  BODY_LIMIT_BYTES,
  largeHeaders,
  readBody,
  readRequest,
  refusal,
  refuseUpgrade,
  sendResponse,
} from "./exchange.ts";
import type { GatewayResponse, Handle } from "./messages.ts";

export type Listener = {
  port: number;
  url: string;
  /** Stops listening and closes every connection, idle or in use. */
  close: () => Promise<void>;
};

export type ListenOptions = {
  /** The command-line option for the port, named in error messages. */
  option?: "--port" | "--stream-port" | "--chain-port";
  /** Takes over upgrade requests with their socket. Without this handler, they are answered like other requests. */
  upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Selects the upgrade requests to take over; all by default. */
  upgrades?: (request: IncomingMessage) => boolean;
};

const LINGER_MS = 1_000;
/**
 * Milliseconds to keep idle connections. Node's default of 5 s is too short: a busy client may take longer between two
 * requests, and its connection would be reset.
 */
const KEEP_ALIVE_MS = 60_000;

/** Names of this machine. Browsers resolve names below `localhost` to it, without asking DNS. */
const localName = /^(127\.0\.0\.1|\[::1\]|([a-z\d-]+\.)*localhost)$/;

/**
 * Serves on 127.0.0.1. Port 0 stands for any free port.
 *
 * @param onFault receives errors of the handler, whose clients get a plain 500
 * @throws {StartupError} if the port is in use or this process may not use it
 */
export async function listen(
  port: number,
  handle: Handle,
  onFault: (error: unknown) => void,
  { option = "--port", upgrade, upgrades = () => upgrade !== undefined }: ListenOptions = {},
): Promise<Listener> {
  const options = { keepAliveTimeout: KEEP_ALIVE_MS, shouldUpgradeCallback: upgrades };
  const server = createServer(options, (request, response) => {
    serve(request, response, handle).catch((error: unknown) => {
      onFault(error);
      if (response.headersSent) response.destroy();
      else sendResponse(response, refusal(500, "Internal server error"));
    });
  });

  if (upgrade) {
    server.on("upgrade", (request, socket, head) => {
      // Handles errors of this socket, which Node does not.
      socket.on("error", () => socket.destroy());
      const refused = foreignHost(request) ?? largeHeaders(request.rawHeaders);
      if (refused) refuseUpgrade(request, refused);
      else upgrade(request, socket, head);
    });
  }

  try {
    await once(server.listen(port, "127.0.0.1"), "listening");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") {
      throw new StartupError(
        `Port ${port} is in use; stop what listens on it, or choose another with ${option}.`,
      );
    }
    throw new StartupError(`Cannot listen on port ${port} (${code}); choose another with ${option}.`);
  }
  const { port: taken } = server.address() as AddressInfo;
  return {
    port: taken,
    url: `http://127.0.0.1:${taken}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function serve(request: IncomingMessage, response: ServerResponse, handle: Handle): Promise<void> {
  const refused = foreignHost(request) ?? largeHeaders(request.rawHeaders);
  if (refused) return sendResponse(response, refused);
  const body = await readBody(request).catch(() => "client gone" as const);
  if (body === "client gone") return;
  if (body === "too large") return refuseBody(request, response);
  sendResponse(response, await handle(readRequest(request, body)));
}

/**
 * Guards against DNS rebinding: a page of another site can make its own host name resolve to 127.0.0.1, but the Host
 * header shows that name.
 */
function foreignHost({ rawHeaders }: IncomingMessage): GatewayResponse | undefined {
  const hosts = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === "host");
  const isOurs = (host: string) => localName.test(host.toLowerCase().replace(/:\d*$/, ""));
  if (hosts.length > 0 && hosts.every(isOurs)) return undefined;
  return refusal(403, "This server accepts only the hosts 127.0.0.1 and localhost.");
}

/**
 * Refuses a large body. Closing a socket that still receives bytes would reset it before the client has read the
 * answer. So the answer is sent at once, and the connection closes a moment later, after discarding the rest of the
 * body.
 */
function refuseBody(request: IncomingMessage, response: ServerResponse): void {
  const text = `HTTP content length exceeded ${BODY_LIMIT_BYTES} bytes.`;
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

/**
 * Ports to choose from, below those that systems give to outgoing connections, which could take a port before its user
 * listens.
 */
const freePorts = { from: 10_000, to: 20_000 };

/** Finds a free port of the loopback interface. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(freePorts.from, freePorts.to);
    const server = createSocketServer().listen(port, "127.0.0.1");
    try {
      await once(server, "listening");
    } catch {
      continue;
    }
    server.close();
    await once(server, "close");
    return port;
  }
}
