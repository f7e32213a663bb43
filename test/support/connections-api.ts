import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { HttpHandler } from "@smithy/core/protocols";
import type { NodeHttpHandlerOptions } from "@smithy/types";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { openPusher, type Pusher } from "../../lib/aws/push.ts";

/** A message posted to a connection. */
export type Call = { connectionId: string; message: string };

/** Returns the status of the response to a call, immediately or later. */
export type Answer = (call: Call) => number | Promise<number>;

const errorNames: Record<number, string> = {
  403: "ForbiddenException",
  410: "GoneException",
  429: "LimitExceededException",
};

const everyoneIsConnected: Answer = () => 200;

/** Simulates API Gateway's @connections API for the SDK's client in one test file. */
export class ConnectionsApi {
  readonly pusher: Pusher;
  answer = everyoneIsConnected;
  /** Received calls in order of arrival. */
  calls: Call[] = [];
  /** Ids of deleted connections. */
  hungUp: string[] = [];
  /** Largest number of concurrent calls. */
  mostAtOnce = 0;
  /** Number of opened TCP connections. */
  sockets = 0;

  constructor(endpoint: string) {
    const credentials = { accessKeyId: "test", secretAccessKey: "test" };
    this.pusher = openPusher({ endpoint, region: "us-east-1", credentials });
    const handler = this.pusher.config.requestHandler as HttpHandler<NodeHttpHandlerOptions>;
    // Disables the functions' timeouts, because other tests may keep the machine busy.
    handler.updateHttpClientConfig("connectionTimeout", 0);
    handler.updateHttpClientConfig("requestTimeout", 0);
  }

  /** Returns a connection's messages in order of arrival. */
  messagesTo(connectionId: string): string[] {
    return this.calls.filter((call) => call.connectionId === connectionId).map(({ message }) => message);
  }

  /** Returns a connection's parsed messages in order of arrival. */
  parsedMessagesTo(connectionId: string): unknown[] {
    return this.messagesTo(connectionId).map((message) => JSON.parse(message));
  }

  reset() {
    this.answer = everyoneIsConnected;
    this.calls = [];
    this.hungUp = [];
    this.mostAtOnce = 0;
    this.sockets = 0;
  }
}

/** Serves the API during the tests of a file and resets it before each. */
export function connectionsApiForTests(): { readonly current: ConnectionsApi } {
  let api: ConnectionsApi;
  let underWay = 0;
  const server = createServer(async (request, response) => {
    api.mostAtOnce = Math.max(api.mostAtOnce, ++underWay);
    const [, place, connectionId = ""] = (request.url ?? "").split("/");
    const call = { connectionId: decodeURIComponent(connectionId), message: await text(request) };
    if (request.method === "DELETE") {
      api.hungUp.push(call.connectionId);
      underWay--;
      response.writeHead(204).end();
      return;
    }
    api.calls.push(call);
    const status = request.method === "POST" && place === "@connections" ? await api.answer(call) : 404;
    const errorName = errorNames[status];
    underWay--;
    const headers = { "x-amzn-RequestId": `r${status}`, ...(errorName && { "x-amzn-ErrorType": errorName }) };
    response.writeHead(status, headers).end();
  });
  server.on("connection", () => api.sockets++);

  beforeAll(async () => {
    await once(server.listen(0, "127.0.0.1"), "listening");
    api = new ConnectionsApi(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
  beforeEach(() => api.reset());
  afterAll(async () => {
    api.pusher.destroy();
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  return {
    get current() {
      return api;
    },
  };
}
