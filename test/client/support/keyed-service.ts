import type { KeyObject } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { text } from "node:stream/consumers";
import { WebSocketServer } from "ws";
import { hashOfBody, readProgramToken } from "./program-token.ts";

type Request = { method: string; path: string; token: string; body: string };
type Placed = { orderId: string; side: string; createdAt: string };

/** A service that knows keys of programs, and fills orders soon. It has no code of the client or of the real service. */
export async function keyedService(keys: ReadonlyMap<string, KeyObject>) {
  /** Orders by their Idempotency-Key. */
  const orders = new Map<string, Placed>();
  const usedIds = new Set<string>();
  const ended = new Set<string>();
  const refusals: string[] = [];
  /** Answers that get lost, one after another. */
  let lost = 0;

  const refusalOf = ({ method, path, token, body }: Request): string | undefined => {
    const kid = JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString() || "{}").kid;
    const key = keys.get(kid);
    const claims = key && readProgramToken(token, key)?.claims;
    if (!claims) return "Invalid token";
    const seconds = Date.now() / 1000;
    if (claims.exp <= seconds || claims.exp - claims.iat > 60) return "Token expired";
    if (claims.htm !== method || claims.htu !== path) return "Token of another request";
    if (claims.bh !== (body === "" ? undefined : hashOfBody(body))) return "Token of another body";
    if (usedIds.has(claims.jti)) return "Token used before";
    usedIds.add(claims.jti);
    return ended.has(kid) ? "The program key is revoked or has ended" : undefined;
  };

  const shown = (order: Placed) => {
    const isFilled = Date.now() - Date.parse(order.createdAt) > 150;
    const end = isFilled ? { status: "filled", settled: true, version: 2 } : { status: "open", version: 1 };
    return { ...order, stage: "confirmed", ...end };
  };

  const answerTo = ({ method, path, body }: Request, name: string): object | undefined => {
    const orderId = /^\/api\/v2\/orders\/(\w+)$/.exec(path)?.[1];
    if (path === "/getUserData") return {};
    if (method === "POST") {
      const { side } = JSON.parse(body) as Placed;
      const order = orders.get(name) ?? {
        orderId: `o${orders.size}`,
        side,
        createdAt: new Date().toISOString(),
      };
      orders.set(name, order);
      return { order: shown(order), warnings: [] };
    }
    const order = [...orders.values()].find((one) => one.orderId === orderId);
    return order && { order: shown(order), attempts: [] };
  };

  const server = createServer(async (incoming, response) => {
    const { headers, method = "", url = "" } = incoming;
    const token = headers.authorization?.replace("Bearer ", "") ?? "";
    const request = { method, path: url.split("?")[0] ?? "", token, body: await text(incoming) };
    const refusal = refusalOf(request);
    if (refusal !== undefined) {
      refusals.push(refusal);
      return response.writeHead(401).end(JSON.stringify({ error: refusal }));
    }
    const data = answerTo(request, String(headers["idempotency-key"]));
    if (lost > 0 && method === "POST") {
      lost--;
      return response.destroy();
    }
    return response.end(JSON.stringify({ success: true, data }));
  });
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => "access_token" });
  server.on("upgrade", (request: IncomingMessage, socket, head) => {
    const token = request.headers["sec-websocket-protocol"]?.split(",")[1]?.trim() ?? "";
    if (refusalOf({ method: "GET", path: "/stream", token, body: "" }) !== undefined)
      return socket.end("HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n");
    return sockets.handleUpgrade(request, socket, head, (connection) => {
      const send = (type: string) => {
        const data = [...orders.values()].map(shown);
        connection.send(JSON.stringify({ type, channel: "orders", time: new Date().toISOString(), data }));
      };
      const timer = setInterval(() => send("update"), 50);
      connection.on("message", () => send("snapshot")).on("close", () => clearInterval(timer));
    });
  });
  const connections = new Set<Socket>();
  server.on("connection", (socket) => connections.add(socket));
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    orders,
    ended,
    refusals,
    loseAnswers: (count: number) => {
      lost = count;
    },
    async stop() {
      server.close();
      for (const socket of connections) socket.destroy();
      await once(server, "close");
    },
  };
}
