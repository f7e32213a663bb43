import {
  ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  GetConnectionCommand,
  GoneException,
  LimitExceededException,
  PayloadTooLargeException,
  PostToConnectionCommand,
} from "@aws-sdk/client-apigatewaymanagementapi";
import { describe, expect, onTestFinished, test } from "vitest";
import { listen } from "../../src/http/server.ts";
import { awsServices } from "../../src/services.ts";
import { awsLimits, type StreamLimits } from "../../src/websocket-api/connection.ts";
import { connectionsService } from "../../src/websocket-api/connections-service.ts";
import { type GivenEvent, route, talking } from "./fixture.ts";
import { eventually, join, serve } from "./stream.ts";

const credentials = { accessKeyId: "known", secretAccessKey: "any" };
const resources = [...route("$connect"), ...route("$disconnect"), ...talking("$default")];

/** An API and the service that pushes to its clients. */
async function push(limits: Partial<StreamLimits> = {}, connect: unknown = { statusCode: 200 }) {
  const stream = await serve(resources, { connect }, { limits });
  const faults: unknown[] = [];
  const routes = [connectionsService(stream.server.find, { ...awsLimits, ...limits })];
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
    /** A client, and the id by which functions know its connection. */
    async joined(options = {}) {
      const joined = await join(stream.url, [], options);
      const { connectionId = "" } = stream.events.connect?.at(-1)?.requestContext ?? {};
      return { ...joined, ConnectionId: connectionId };
    },
  };
}

describe("post", () => {
  test.each(["", "/live"])("a text frame, with the stage %j in the path", async (stage) => {
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

  test("messages arrive in the order in which they were posted, each at its own client", async () => {
    const { send, joined } = await push();
    const [one, other] = [await joined(), await joined()];
    const expected = Array.from({ length: 100 }, (_, n) => `${n}`);
    for (const Data of expected)
      await send(new PostToConnectionCommand({ ConnectionId: one.ConnectionId, Data }));
    await eventually(() => one.messages).toEqual(expected);
    expect(other.messages).toEqual([]);
  });

  test("128 KB arrive, and one byte more is refused", async () => {
    const { send, joined } = await push();
    const { messages, ConnectionId } = await joined();
    const Data = Buffer.alloc(128 * 1024, "x");
    await send(new PostToConnectionCommand({ ConnectionId, Data }));
    await eventually(() => messages.map(({ length }) => length)).toEqual([Data.length]);
    const tooLarge = send(new PostToConnectionCommand({ ConnectionId, Data: Buffer.alloc(Data.length + 1) }));
    await expect(tooLarge).rejects.toBeInstanceOf(PayloadTooLargeException);
    await expect(tooLarge).rejects.toMatchObject({ $metadata: { httpStatusCode: 413 } });
  });

  test("a client that does not read is refused more, until it reads", async () => {
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

describe("get", () => {
  test("who is connected, since when, and when they last said or heard something", async () => {
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

describe("delete", () => {
  test("closes, and the function of $disconnect hears of it", async () => {
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

describe("gone", () => {
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

  test.each(["TXzPWdnOjoECGjA=", "x", "a/b", "%", "constructor"])("%s was never there", async (id) => {
    const { send } = await push();
    await expectGone(send, id);
  });

  test("a connection that was closed, at once", async () => {
    const { send, joined } = await push();
    const { socket, ConnectionId } = await joined();
    // It does not agree to the end: that changes nothing.
    socket.pause();
    await send(new DeleteConnectionCommand({ ConnectionId }));
    await expectGone(send, ConnectionId);
  });

  test("a connection whose $connect has not answered yet", async () => {
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

describe("over HTTP", () => {
  const signed = {
    Authorization: "AWS4-HMAC-SHA256 Credential=known/20260101/us-east-1/execute-api/aws4_request",
  };

  test("an id that is not encoded as it should be is none", async () => {
    const { services } = await push();
    const answer = await fetch(`${services}/@connections/%zz`, { headers: signed });
    expect(answer.status).toBe(410);
  });

  test.each([
    ["PUT", "/@connections/x"],
    ["GET", "/@connections/"],
    ["GET", "/a/b/@connections/x"],
    ["GET", "/@connections/x/y"],
  ])("%s %s is not emulated", async (method, path) => {
    const { services } = await push();
    expect((await fetch(services + path, { method, headers: signed })).status).toBe(404);
  });

  test("without the access key nobody gets through", async () => {
    const { services, joined } = await push();
    const { messages, ConnectionId } = await joined();
    const path = `/@connections/${encodeURIComponent(ConnectionId)}`;
    expect((await fetch(services + path, { method: "POST", body: "x" })).status).toBe(403);
    expect((await fetch(services + path, { method: "POST", body: "y", headers: signed })).status).toBe(200);
    await eventually(() => messages).toEqual(["y"]);
  });
});

test("the API's own answers to a message are no more than the client may leave unread", async () => {
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
