import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { now } from "./statistics.ts";

/** A request to a host: the methods of its batch, and its time. */
export type HostRequest = { methods: string[]; at: number; isLook: boolean };

/** The selector of a call that only a reader makes. */
const getLastBlockHash = "27e86d6e";

/** A chain's host that records its requests. */
export async function startCountingHost(chainUrl: string) {
  const requests: HostRequest[] = [];
  const server = createServer(async (request, response) => {
    const at = now();
    try {
      const body = await text(request);
      const calls = [JSON.parse(body)].flat() as { method: string; params: unknown[] }[];
      const methods = calls.map(({ method }) => method);
      // Matches the reader's look for all wallets, once a second.
      const isLook = body.includes(getLastBlockHash);
      requests.push({ methods, at, isLook });
      const headers = { "Content-Type": "application/json" };
      const answer = await fetch(chainUrl, { method: "POST", headers, body });
      response.writeHead(200, headers).end(await answer.text());
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
