import { once } from "node:events";
import { createServer, request as forward } from "node:http";
import { type AddressInfo, connect } from "node:net";

/** A proxy between an agent and the service, which can lose the answer to an order. */
export type FlakyProxy = {
  url: string;
  /** Makes the next order reach the service, but loses the answer. Resolves once the service has answered. */
  loseAnswer(): Promise<void>;
  stop(): void;
};

export async function startFlakyProxy(target: string): Promise<FlakyProxy> {
  let lost: (() => void) | undefined;
  const server = createServer((request, response) => {
    const { method = "GET", headers, url = "/" } = request;
    const passed = forward(new URL(url, target), { method, headers }, (answer) => {
      if (headers["idempotency-key"] !== undefined && lost !== undefined) {
        lost();
        lost = undefined;
        // Keeps the connection open, as a network that drops packets does.
        answer.resume();
        return;
      }
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on("error", () => response.destroy());
    request.pipe(passed);
  });
  server.on("upgrade", ({ method, url, rawHeaders }, socket, head) => {
    const { hostname, port } = new URL(target);
    const service = connect(Number(port), hostname, () => {
      const lines = rawHeaders.flatMap((name, at) =>
        at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1]}`] : [],
      );
      service.write(`${[`${method} ${url} HTTP/1.1`, ...lines].join("\r\n")}\r\n\r\n`);
      service.write(head);
      service.pipe(socket).pipe(service);
    });
    for (const one of [service, socket])
      one.on("error", () => [service, socket].map((each) => each.destroy()));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    loseAnswer: () =>
      new Promise((resolve) => {
        lost = resolve;
      }),
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
