import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import type { HostCall, HostRequest } from "./host-requests.ts";
import { now } from "./statistics.ts";

/** Time after which the host closes an idle connection. */
const keepAliveMs = 65_000;

/**
 * Starts a chain host that records its requests.
 *
 * @param roundTripMs Time that a request and its response take together.
 * @param handshakes Round trips before a connection's first request, as for TCP and TLS.
 */
export async function startCountingHost(chainUrl: string, roundTripMs = 0, handshakes = 0) {
  const requests: HostRequest[] = [];
  const opened = new WeakSet<Socket>();
  const travel = () => (roundTripMs === 0 ? undefined : pause(roundTripMs / 2));
  const server = createServer(async (request, response) => {
    try {
      const { socket } = request;
      const isFirst = !opened.has(socket);
      opened.add(socket);
      const body = await text(request);
      if (isFirst && handshakes > 0) await pause(handshakes * roundTripMs);
      await travel();
      requests.push({ calls: [JSON.parse(body)].flat() as HostCall[], at: now() });
      const headers = { "Content-Type": "application/json" };
      const answer = await fetch(chainUrl, { method: "POST", headers, body });
      const replies = await answer.text();
      await travel();
      // Keeps Node from adding a hint of how long connections live, since most hosts give none.
      response.writeHead(200, { ...headers, Connection: "keep-alive" }).end(replies);
    } catch {
      response.destroy();
    }
  });
  server.keepAliveTimeout = keepAliveMs;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
