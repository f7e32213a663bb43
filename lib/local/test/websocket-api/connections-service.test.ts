import {
  ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  GetConnectionCommand,
  GoneException,
  LimitExceededException,
  PayloadTooLargeException,
  PostToConnectionCommand,
} from "@aws-sdk/client-apigatewaymanagementapi";
import { describe, expect, it, onTestFinished } from "vitest";
import { listen } from "../../src/http/server.ts";
import { awsServices } from "../../src/services.ts";
import { awsLimits, type StreamLimits } from "../../src/websocket-api/connection.ts";
import { connectionsService } from "../../src/websocket-api/connections-service.ts";
import { type GivenEvent, route, talking } from "./fixture.ts";
import { eventually, join, serve } from "./stream.ts";

const credentials = { accessKeyId: "known", secretAccessKey: "any" };
const resources = [...route("$connect"), ...route("$disconnect"), ...talking("$default")];

/** Serves an API and the service that pushes to its clients. */
async function push(
  limits: Partial<StreamLimits> = {},
  connect: unknown = { statusCode: 200 },
  admit = () => true,
) {
  const stream = await serve(resources, { connect }, { limits });
  const faults: unknown[] = [];
  const routes = [
    connectionsService({
      find: stream.server.find,
      limits: { ...awsLimits, ...limits },
      admit,
      place: { apiId: "Api", stage: "live" },
    }),
  ];
  const { url, close } = await listen(0, awsServices(credentials, routes), (fault) => faults.push(fault));
  const client = (path = "") =>
    new ApiGatewayManagementApiClient({
      endpoint: url + path,
      region: "us-east-1",
      credentials,
      maxAttempts: 1,
    });
  onTestFinished(async () => {
    await close();
    expect(faults).toEqual([]);
  });
  return {
    ...stream,
    client,
    services: url,
    send: client().send.bind(client()),
    /** Connects a client and returns it with its connection id. */
    async joined(options = {}) {
      const joined = await join(stream.url, [], options);
      const { connectionId = "" } = stream.events.connect?.at(-1)?.requestContext ?? {};
      return { ...joined, ConnectionId: connectionId };
    },
  };
}

describe("PostToConnection", () => {
  it.each(["", "/live"])("sends a text frame with the stage %j in the path", async (stage) => {
    const { client, joined } = await push();
    const { socket, messages, ConnectionId } = await joined();
    const frames: boolean[] = [];
    socket.on("message", (_, isBinary) => frames.push(isBinary));
    const { $metadata } = await client(stage).send(
      new PostToConnectionCommand({ ConnectionId, Data: '{"text":"Zoë 🐈"}' }),
    );
    expect($metadata.httpStatusCode).toBe(200);
    await eventually(() => messages).toEqual(['{"text":"Zoë 🐈"}']);
    expect(frames).toEqual([false]);
  });

  it("sends messages in order, each to its own client", async () => {
    const { send, joined } = await push();
    const [one, other] = [await joined(), await joined()];
    const expected = Array.from({ length: 100 }, (_, n) => `${n}`);
    for (const Data of expected)
      await send(new PostToConnectionCommand({ ConnectionId: one.ConnectionId, Data }));
    await eventually(() => one.messages).toEqual(expected);
    expect(other.messages).toEqual([]);
  });

  it("accepts 128 KB and refuses one byte more", async () => {
    const { send, joined } = await push();
    const { messages, ConnectionId } = await joined();
    const Data = Buffer.alloc(128 * 1024, "x");
    await send(new PostToConnectionCommand({ ConnectionId, Data }));
    await eventually(() => messages.map(({ length }) => length)).toEqual([Data.length]);
    const tooLarge = send(new PostToConnectionCommand({ ConnectionId, Data: Buffer.alloc(Data.length + 1) }));
    await expect(tooLarge).rejects.toBeInstanceOf(PayloadTooLargeException);
    await expect(tooLarge).rejects.toMatchObject({ $metadata: { httpStatusCode: 413 } });
  });

  it("refuses messages while the client does not read", async () => {
    const { send, joined } = await push({ bufferBytes: 256 * 1024 });
    const { socket, messages, ConnectionId } = await joined();
    socket.pause();
    const post = () =>
      send(new PostToConnectionCommand({ ConnectionId, Data: Buffer.alloc(100 * 1024, "x") })).catch(
        (error) => error,
      );
    let sent = 0;
    let answer = await post();
    while (!(answer instanceof Error)) {
      sent++;
      answer = await post();
    }
    expect(answer).toBeInstanceOf(LimitExceededException);
    expect(answer).toMatchObject({ $metadata: { httpStatusCode: 429 } });
    socket.resume();
    await eventually(() => messages).toHaveLength(sent);
    expect(await post()).not.toBeInstanceOf(Error);
  });
});

describe("GetConnection", () => {
  it("returns the client and the times of its connection and last message", async () => {
    const { send, joined } = await push();
    const { ConnectionId } = await joined({ headers: { "User-Agent": "test" } });
    const before = await send(new GetConnectionCommand({ ConnectionId }));
    expect(before).toMatchObject({
      ConnectedAt: expect.any(Date),
      Identity: { SourceIp: "127.0.0.1", UserAgent: "test" },
      LastActiveAt: before.ConnectedAt,
    });
    await eventually(async () => {
      await send(new PostToConnectionCommand({ ConnectionId, Data: "x" }));
      const { ConnectedAt, LastActiveAt } = await send(new GetConnectionCommand({ ConnectionId }));
      return Number(LastActiveAt) - Number(ConnectedAt);
    }).toBeGreaterThan(0);
  });
});

describe("DeleteConnection", () => {
  it("closes the connection and invokes $disconnect", async () => {
    const { send, joined, events } = await push();
    const { ConnectionId, closed } = await joined();
    const { $metadata } = await send(new DeleteConnectionCommand({ ConnectionId }));
    expect($metadata.httpStatusCode).toBe(204);
    expect(await closed).toEqual({ code: 1000, reason: "" });
    await eventually(() => events.disconnect?.[0]?.requestContext).toMatchObject({
      connectionId: ConnectionId,
      disconnectStatusCode: 1000,
    });
  });
});

describe("an account over its limit", () => {
  it("refuses all calls over the account's limit, even for unknown connections, and later works again", async () => {
    const admitted = [false, false, false, false, true];
    const { send, joined } = await push({}, { statusCode: 200 }, () => admitted.shift() ?? true);
    const { ConnectionId, messages } = await joined();
    const calls = [
      new PostToConnectionCommand({ ConnectionId, Data: "lost" }),
      new GetConnectionCommand({ ConnectionId }),
      new DeleteConnectionCommand({ ConnectionId }),
      new PostToConnectionCommand({ ConnectionId: "none", Data: "lost" }),
    ];
    for (const command of calls) {
      const answer = await send(command as PostToConnectionCommand).catch((error) => error);
      expect(answer).toBeInstanceOf(LimitExceededException);
    }
    await send(new PostToConnectionCommand({ ConnectionId, Data: "x" }));
    await eventually(() => messages).toEqual(["x"]);
  });
});

describe("a 410", () => {
  const commands = (ConnectionId: string) => [
    new PostToConnectionCommand({ ConnectionId, Data: "x" }),
    new GetConnectionCommand({ ConnectionId }),
    new DeleteConnectionCommand({ ConnectionId }),
  ];

  async function expectGone(send: ApiGatewayManagementApiClient["send"], ConnectionId: string) {
    for (const command of commands(ConnectionId)) {
      const answer = await send(command as PostToConnectionCommand).catch((error) => error);
      expect(answer).toBeInstanceOf(GoneException);
      expect(answer).toMatchObject({ $metadata: { httpStatusCode: 410 } });
    }
  }

  it.each(["TXzPWdnOjoECGjA=", "x", "a/b", "%", "constructor"])(
    "responds that the unknown id %s is gone",
    async (id) => {
      const { send } = await push();
      await expectGone(send, id);
    },
  );

  it("responds at once that a closed connection is gone", async () => {
    const { send, joined } = await push();
    const { socket, ConnectionId } = await joined();
    // Never acknowledges the close, which makes no difference.
    socket.pause();
    await send(new DeleteConnectionCommand({ ConnectionId }));
    await expectGone(send, ConnectionId);
  });

  it("responds that a connection is gone until $connect has answered", async () => {
    const slow = Promise.withResolvers<object>();
    const { url, send, events } = await push({}, () => slow.promise);
    const joining = join(url);
    await eventually(() => events.connect).toHaveLength(1);
    const { connectionId = "" } = events.connect?.[0]?.requestContext ?? {};
    await expectGone(send, connectionId);
    slow.resolve({ statusCode: 200 });
    const { messages } = await joining;
    await send(new PostToConnectionCommand({ ConnectionId: connectionId, Data: "now" }));
    await eventually(() => messages).toEqual(["now"]);
  });
});

describe("the service over HTTP", () => {
  const signed = {
    Authorization: "AWS4-HMAC-SHA256 Credential=known/20260101/us-east-1/execute-api/aws4_request",
  };

  it("finds no connection for an id with malformed encoding", async () => {
    const { services } = await push();
    const answer = await fetch(`${services}/@connections/%zz`, { headers: signed });
    expect(answer.status).toBe(410);
  });

  it.each([
    ["PUT", "/@connections/x"],
    ["GET", "/@connections/"],
    ["GET", "/a/b/@connections/x"],
    ["GET", "/@connections/x/y"],
  ])("returns a 404 for the unknown call %s %s", async (method, path) => {
    const { services } = await push();
    expect((await fetch(services + path, { method, headers: signed })).status).toBe(404);
  });

  it("refuses requests without the access key", async () => {
    const { services, joined } = await push();
    const { messages, ConnectionId } = await joined();
    const path = `/@connections/${encodeURIComponent(ConnectionId)}`;
    expect((await fetch(services + path, { method: "POST", body: "x" })).status).toBe(403);
    expect((await fetch(services + path, { method: "POST", body: "y", headers: signed })).status).toBe(200);
    await eventually(() => messages).toEqual(["y"]);
  });
});

describe("a client that does not read", () => {
  it("drops answers to a client's messages that exceed its buffer", async () => {
    const body = "x".repeat(100 * 1024);
    const handled: string[] = [];
    const { url } = await serve(
      resources,
      { default: (event: GivenEvent) => ({ body: handled.push(event.body) && body }) },
      { limits: { bufferBytes: 150 * 1024 } },
    );
    const { socket, messages } = await join(url);
    socket.pause();
    const total = 200;
    for (let n = 0; n < total; n++) socket.send(`${n}`);
    await eventually(() => handled).toHaveLength(total);
    socket.resume();
    socket.send("last");
    await eventually(() => handled).toHaveLength(total + 1);
    await eventually(() => messages.length).toBeGreaterThan(0);
    expect(messages.length).toBeLessThan(total);
  });
});
