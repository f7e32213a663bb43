import "./environment.ts";
import { createServer as createHttpServer, type Server as HttpServer } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import type { Context } from "aws-lambda";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { signPayload } from "../../lib/trading/signing/sign-payload.ts";
import { quietConsole } from "../support/console.ts";
import { restEvent } from "../support/events.ts";
import { freshHandler } from "../support/fresh-handler.ts";
import { newEvmKey } from "../support/keys.ts";
import { connectEvent, disconnectEvent, messageEvent } from "../support/websocket-events.ts";

/** Simulates a table that accepts connections and never responds. */
const sockets = new Set<Socket>();
const silent = createServer((socket) => sockets.add(socket));

/** Simulates API Gateway's @connections, which may not respond either. */
let messages: string[] = [];
let hangs = false;
const gateway = createHttpServer(async (request, response) => {
  messages.push(await text(request));
  if (!hangs) response.end();
});

/** Deadlines of the current test, which decides when they pass. */
let deadlines: { ms: number; pass(): void }[] = [];
const logged = quietConsole();

/** Loads handlers late, because functions open their clients at load time. */
async function loadHandlers() {
  return {
    storeWallet: await freshHandler<typeof import("../../functions/storeWallet/handler.ts")>("storeWallet"),
    connect: await freshHandler<typeof import("../../functions/connect/handler.ts")>("connect"),
    disconnect: await freshHandler<typeof import("../../functions/disconnect/handler.ts")>("disconnect"),
    subscribe: await freshHandler<typeof import("../../functions/subscribe/handler.ts")>("subscribe"),
    unsubscribe: await freshHandler<typeof import("../../functions/unsubscribe/handler.ts")>("unsubscribe"),
    signTransaction:
      await freshHandler<typeof import("../../functions/signTransaction/handler.ts")>("signTransaction"),
  };
}
let handlers: Awaited<ReturnType<typeof loadHandlers>>;

async function urlOf(server: Server | HttpServer): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const { AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI: endpoint } = process.env;

beforeAll(async () => {
  process.env.AWS_ENDPOINT_URL_DYNAMODB = await urlOf(silent);
  process.env.AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI = await urlOf(gateway);
  handlers = await loadHandlers();
});
beforeEach(() => {
  messages = [];
  hangs = false;
  deadlines = [];
  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    const deadline = new AbortController();
    deadlines.push({ ms, pass: () => deadline.abort() });
    return deadline.signal;
  });
});
afterEach(() => void vi.mocked(AbortSignal.timeout).mockRestore());
afterAll(() => {
  delete process.env.AWS_ENDPOINT_URL_DYNAMODB;
  process.env.AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI = endpoint;
  for (const socket of sockets) socket.destroy();
  silent.close();
  gateway.closeAllConnections();
  gateway.close();
});

/** Runs a handler whose deadline of ten seconds passes while it waits for the table. */
async function withoutTable<Result>(run: (context: Context) => Promise<Result>): Promise<Result> {
  const before = sockets.size;
  const result = run({ getRemainingTimeInMillis: () => 10_000 } as Context);
  await expect.poll(() => sockets.size).toBeGreaterThan(before);
  expect(deadlines.map(({ ms }) => ms)).toEqual([8500]);
  deadlines[0]?.pass();
  return result;
}

const exceeded = (operation: string) => expect.objectContaining({ operation, error: "DeadlineExceeded" });

describe("a function whose table hangs", () => {
  it("responds to a request with its own 500 before time runs out", async () => {
    const { network, privateKey } = newEvmKey();
    const event = restEvent({ body: { network, privateKey } });
    const { statusCode, body } = await withoutTable((context) => handlers.storeWallet(event, context));
    expect([statusCode, JSON.parse(body)]).toEqual([500, { message: "Internal server error" }]);
    expect(logged()).toEqual([exceeded("storeWallet")]);
  });

  it("refuses a connection before time runs out", async () => {
    const result = await withoutTable((context) => handlers.connect(connectEvent(), context));
    expect(result).toEqual({ statusCode: 500 });
    expect(logged()).toEqual([exceeded("connect")]);
  });

  it("postpones a signature and reports it before time runs out", async () => {
    const fees = { maxFeePerGas: 2n, maxPriorityFeePerGas: 1n };
    const request = { chain: "eth", wallet: newEvmKey().address, place: 0, purpose: "swap", fees } as const;
    const event = signPayload({ ...request, userID: "alice", orderId: "01KAMZ3Q5T9WJ2M4N6P8R0S1V3" });
    const answer = await withoutTable((context) => handlers.signTransaction(event, context));
    expect(answer).toEqual({ later: "a call to AWS has failed" });
    expect(logged()).toEqual([exceeded("signTransaction")]);
  });

  it("gives up on an ended connection before time runs out", async () => {
    const result = await withoutTable((context) => handlers.disconnect(disconnectEvent(), context));
    expect(result).toEqual({ statusCode: 500 });
    expect(logged()).toEqual([exceeded("disconnect")]);
  });

  it.each(["subscribe", "unsubscribe"] as const)("sends an error before time runs out: %s", async (type) => {
    const event = messageEvent({ type, id: 1, channels: ["orders"] });
    const result = await withoutTable((context) => handlers[type](event, context));
    expect(result).toEqual({ statusCode: 200 });
    expect(messages.map((message) => JSON.parse(message))).toEqual([
      { type: "error", id: 1, code: "INTERNAL_ERROR", message: "Internal server error" },
    ]);
    expect(logged()).toEqual([exceeded(type)]);
  });

  it("gives up before time runs out if the error cannot be sent either", async () => {
    hangs = true;
    const event = messageEvent({ type: "subscribe", channels: ["orders"] });
    const result = withoutTable((context) => handlers.subscribe(event, context));
    await expect.poll(() => messages).toHaveLength(1);
    expect(deadlines.map(({ ms }) => ms)).toEqual([8500, 9700]);
    deadlines[1]?.pass();
    expect(await result).toEqual({ statusCode: 500 });
    expect(logged()).toEqual([exceeded("subscribe"), exceeded("subscribe")]);
  });
});
