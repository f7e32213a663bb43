import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import type { HostCall, HostRequest } from "./host-requests.ts";
import { now } from "./statistics.ts";

/**
 * Starts a chain host that records its requests.
 *
 * @param roundTripMs Time that a request and its response take together. Connections open without delay.
 */
export async function startCountingHost(chainUrl: string, roundTripMs = 0) {
  const requests: HostRequest[] = [];
  const travel = () => (roundTripMs === 0 ? undefined : pause(roundTripMs / 2));
  const server = createServer(async (request, response) => {
    try {
      const body = await text(request);
      await travel();
      requests.push({ calls: [JSON.parse(body)].flat() as HostCall[], at: now() });
      const headers = { "Content-Type": "application/json" };
      const answer = await fetch(chainUrl, { method: "POST", headers, body });
      const replies = await answer.text();
      await travel();
      response.writeHead(200, headers).end(replies);
    } catch {
      response.destroy();
    }
  });
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
