import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished } from "vitest";
import { type ClientOptions, WebSocket } from "ws";
import type { ResolvedResource } from "../../src/cloudformation/resource.ts";
import { createUsageState, noUsage, type Usage } from "../../src/usage-plans/model.ts";
import { createUsagePlans } from "../../src/usage-plans/usage-plans.ts";
import { awsLimits, type StreamLimits } from "../../src/websocket-api/connection.ts";
import { openStreamServer } from "../../src/websocket-api/stream-server.ts";
import { createWebSocketApi } from "../../src/websocket-api/websocket-api.ts";
import { type Answer, api, functions, stage } from "./fixture.ts";

type Options = {
  /** Additional properties of the stage. */
  settings?: Record<string, unknown>;
  limits?: Partial<StreamLimits>;
  mayInvoke?: (functionArn: string, sourceArn: string) => boolean;
  now?: () => Date;
  usage?: Usage;
  /** Replaces the default API. */
  as?: ResolvedResource;
};

/** Polls a value until the expectation is met, with enough time for a busy machine. */
export const eventually = <Value>(read: () => Value) => expect.poll(read, { timeout: 50_000, interval: 10 });

/** Serves an API in front of functions with these answers until the end of the test. */
export async function serve(
  resources: readonly ResolvedResource[],
  answers: Record<string, Answer> = {},
  {
    limits = {},
    mayInvoke = () => true,
    now = () => new Date(),
    usage = noUsage,
    as = api,
    settings = {},
  }: Options = {},
) {
  const reports: string[] = [];
  const faults: unknown[] = [];
  const { events, invoke } = functions(answers);
  const server = await openStreamServer(0, { ...awsLimits, ...limits }, (fault) => faults.push(fault));
  onTestFinished(async () => {
    await server.close();
    expect(faults).toEqual([]);
  });
  server.serve(
    createWebSocketApi({
      api: as,
      resources: [{ ...stage, properties: { ...stage.properties, ...settings } }, ...resources],
      invoke,
      mayInvoke,
      now,
      usagePlans: createUsagePlans(createUsageState(usage), () => now().getTime()),
      report: (line) => reports.push(line),
    }),
  );
  return { server, url: server.url, port: Number(new URL(server.url).port), events, reports, faults };
}

/** Connects a client that collects its messages. */
export async function join(url: string, protocols: string[] = [], options: ClientOptions = {}) {
  const socket = new WebSocket(url, protocols, options);
  onTestFinished(() => socket.terminate());
  const messages: string[] = [];
  socket.on("message", (data) => messages.push(data.toString()));
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.once("close", (code, reason) => resolve({ code, reason: reason.toString() })),
  );
  await once(socket, "open");
  return { socket, messages, closed, say: (message: unknown) => socket.send(JSON.stringify(message)) };
}

/** Connects and returns the answer that refuses the client. */
export async function refusal(url: string, options: ClientOptions = {}, protocols: string[] = []) {
  const socket = new WebSocket(url, protocols, options);
  socket.on("error", () => {});
  const [, response] = await once(socket, "unexpected-response");
  const body = await text(response);
  const { statusCode: status, headers } = response;
  // Headers that are undefined without a distribution.
  const { via, "x-cache": cache, "x-amz-cf-pop": pop, "x-amz-cf-id": cloudFrontId } = headers;
  const added = { via, cache, pop, cloudFrontId };
  return { status, type: headers["content-type"], ...added, body: JSON.parse(body) };
}

/** Opens a plain socket to this port. */
export async function dial(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => {
    socket.destroy();
  });
  await once(socket, "connect");
  return socket;
}

/** Builds the head of a request to connect, from its lines. */
export const handshake = (headers: Record<string, string | undefined> = {}, line = "GET / HTTP/1.1") => {
  const all: Record<string, string | undefined> = {
    Host: "127.0.0.1",
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}`],
  );
  return [line, ...lines, "", ""].join("\r\n");
};

/** Collects everything received from a socket until it ends. */
export async function received(socket: Socket): Promise<string> {
  return text(socket.setEncoding("latin1"));
}
