import { once } from "node:events";
import { request } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { StartupError } from "../../src/startup-error.ts";
import { awsLimits } from "../../src/websocket-api/connection.ts";
import { openStreamServer } from "../../src/websocket-api/stream-server.ts";
import { type GivenEvent, route, talking } from "./fixture.ts";
import { dial, eventually, handshake, join, received, refusal, serve } from "./stream.ts";

const resources = [...route("$connect"), ...talking("$default")];
const answers = { default: ({ body }: GivenEvent) => ({ body }) };

/** Expects the server to still admit clients and answer them. */
async function expectHealthy(url: string) {
  const { socket, messages } = await join(url);
  socket.send("still there?");
  await eventually(() => messages).toEqual(["still there?"]);
}

/** Sends text on a plain socket. Resolves to everything received until it ends. */
async function exchange(port: number, ...chunks: string[]) {
  const socket = await dial(port);
  for (const chunk of chunks) socket.write(chunk);
  return received(socket);
}

describe("Node's own WebSocket", () => {
  it("gives Node's WebSocket the subprotocol that $connect chose", async () => {
    const connect = ({ headers }: GivenEvent) => ({
      statusCode: 200,
      headers: { "Sec-WebSocket-Protocol": headers["sec-websocket-protocol"]?.split(",")[0] },
    });
    const { url } = await serve(resources, { ...answers, connect });
    const socket = new globalThis.WebSocket(url, ["access_token", "eyJ.x.y"]);
    await once(socket, "open");
    expect(socket.protocol).toBe("access_token");
    socket.send("hello");
    const [{ data }] = await once(socket, "message");
    expect(data).toBe("hello");
    socket.close();
    await once(socket, "close");
  });

  it("fails if $connect chooses no subprotocol, as in browsers", async () => {
    const { url } = await serve(resources, answers);
    const socket = new globalThis.WebSocket(url, ["access_token", "eyJ.x.y"]);
    const opened: unknown[] = [];
    socket.addEventListener("open", (event) => opened.push(event));
    await once(socket, "close");
    expect(opened).toEqual([]);
  });
});

describe("a malformed handshake", () => {
  it("answers a handshake over plain HTTP with a 426", async () => {
    const { url, port, events } = await serve(resources, answers);
    for (const path of ["/", "/live"]) {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`);
      expect(answer.status).toBe(426);
      expect(answer.headers.get("upgrade")).toBe("websocket");
      expect(await answer.json()).toEqual({ message: "Upgrade Required" });
    }
    expect(events).toEqual({});
    await expectHealthy(url);
  });

  it.each([
    ["another protocol", 426, handshake({ Upgrade: "h2c" })],
    ["no key", 400, handshake({ "Sec-WebSocket-Key": undefined })],
    ["a malformed key", 400, handshake({ "Sec-WebSocket-Key": "x" })],
    ["another version", 400, handshake({ "Sec-WebSocket-Version": "7" })],
    ["another method", 400, handshake({}, "POST / HTTP/1.1")],
    ["a malformed list of subprotocols", 400, handshake({ "Sec-WebSocket-Protocol": "a,,b" })],
    ["the host name of another site", 403, handshake({ Host: "evil.example" })],
    ["no Host", 403, handshake({ Host: undefined })],
    ["headers that are too large", 431, handshake({ "X-Big": "x".repeat(11_000) })],
  ])("answers a handshake with %s with a %d", async (_, status, head) => {
    const { url, port, events } = await serve(resources, answers);
    const answer = await exchange(port, head);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toMatch(/^Connection: (close|Upgrade)\r$/m);
    expect(events).toEqual({});
    await expectHealthy(url);
  });

  it("answers a handshake that is not HTTP with a 400", async () => {
    const { url, port, events } = await serve(resources, answers);
    const answer = await exchange(port, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc");
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(events).toEqual({});
    await expectHealthy(url);
  });

  it("leaves other clients unharmed if a handshake stops halfway", async () => {
    const { url, port, events } = await serve(resources, answers);
    const [waiting, ended] = [await dial(port), await dial(port)];
    waiting.write(handshake().slice(0, 60));
    ended.write(handshake().slice(0, 60));
    ended.end();
    await expectHealthy(url);
    waiting.resetAndDestroy();
    await expectHealthy(url);
    expect(events.connect).toHaveLength(2);
  });

  it("leaves other clients unharmed if a bad handshake follows an unanswered request", async () => {
    const { url, port } = await serve(resources, answers);
    await exchange(
      port,
      `GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n${handshake({ "Sec-WebSocket-Key": "x" })}`,
    );
    await exchange(port, `GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n${handshake({}, "GET /live HTTP/1.1")}`);
    await expectHealthy(url);
  });
});

describe("well-formed handshakes", () => {
  it("delays an early message until the client is admitted", async () => {
    const slow = Promise.withResolvers<object>();
    const { port, events } = await serve(resources, { ...answers, connect: () => slow.promise });
    const socket = await dial(port);
    const masked = Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69]);
    socket.write(Buffer.concat([Buffer.from(handshake()), masked]));
    await eventually(() => events.connect).toHaveLength(1);
    expect(events.default).toBeUndefined();
    slow.resolve({ statusCode: 200 });
    await eventually(() => events.default?.map(({ body }) => body)).toEqual(["hi"]);
  });

  it("uses $connect's subprotocol even if the client did not offer it", async () => {
    const connect = { headers: { "Sec-WebSocket-Protocol": "other" } };
    const { url, port } = await serve(resources, { ...answers, connect });
    await expect(join(url, ["a"])).rejects.toThrow("Server sent an invalid subprotocol");
    const bare = request({
      port,
      host: "127.0.0.1",
      headers: {
        Connection: "Upgrade",
        Upgrade: "websocket",
        "Sec-WebSocket-Version": 13,
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
      },
    });
    bare.end();
    const [response, socket] = await once(bare, "upgrade");
    expect(response.headers["sec-websocket-protocol"]).toBe("other");
    socket.destroy();
  });
});

describe("openStreamServer", () => {
  it("answers with a 503 before there is an API", async () => {
    const server = await openStreamServer(0, awsLimits, () => {});
    onTestFinished(() => server.close());
    expect(await refusal(server.url)).toEqual({
      status: 503,
      type: "application/json",
      body: { message: "The runner is starting" },
    });
  });

  it("throws a StartupError that names the option if the port is in use", async () => {
    const { port } = await serve(resources);
    const taken = openStreamServer(port, awsLimits, () => {});
    await expect(taken).rejects.toThrow(StartupError);
    await expect(taken).rejects.toThrow(
      `Port ${port} is in use; stop what listens on it, or choose another with --stream-port.`,
    );
  });
});

describe("a fault of the emulation", () => {
  it("answers with a 500 and reports a fault only to the runner", async () => {
    const { url, faults, server } = await serve(resources, answers);
    const fault = new TypeError("broken");
    server.serve({
      connect: () => Promise.reject(fault),
      message: () => Promise.reject(fault),
      disconnect: () => Promise.reject(fault),
    });
    expect(await refusal(url)).toMatchObject({ status: 500, body: { message: "Internal server error" } });
    expect(faults.splice(0)).toEqual([fault]);
  });
});
