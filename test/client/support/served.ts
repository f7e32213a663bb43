import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { WebSocketServer } from "ws";
import type { FaultyService } from "./faulty-service.ts";

/** Serves a faulty service over the network. Responds to handshakes like API Gateway. */
export async function served(service: FaultyService): Promise<{ baseUrl: string; stop(): Promise<void> }> {
  const server = createServer(async ({ url }, response) => {
    try {
      const answer = await service.answer(`http://127.0.0.1${url}`);
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
    } catch {
      response.destroy();
    }
  });
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => "access_token" });
  server.on("upgrade", (request, socket, head) => {
    const handshake = service.handshake();
    if (handshake === "refused") socket.end("HTTP/1.1 429 Too Many Requests\r\nConnection: close\r\n\r\n");
    if (handshake !== "accepted") return;
    sockets.handleUpgrade(request, socket, head, (connection) => {
      const link = service.connect({
        deliver: (text) => connection.send(text),
        drop: () => connection.terminate(),
      });
      connection.on("message", (data) => service.receive(link, String(data)));
      connection.on("error", () => {});
      connection.on("close", () => {
        link.isOpen = false;
      });
    });
  });
  // Closes all sockets, including upgraded ones and those without a response.
  const connections = new Set<Socket>();
  server.on("connection", (socket) => connections.add(socket));
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.close();
      for (const socket of connections) socket.destroy();
      await once(server, "close");
    },
  };
}
