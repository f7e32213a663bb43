import { describe, expect, it } from "vitest";
import { allow, guarded, hasty, route, talking, throws } from "./fixture.ts";
import { eventually, join, refusal, serve } from "./stream.ts";

const ID = /^[\w-]{15}=$/;
const clock = { now: () => new Date("2026-11-21T09:14:00.123Z") };

describe("the event of a handshake", () => {
  const headers = { Authorization: "Bearer x", "X-Amzn-Trace-Id": "Root=1-2-3", "User-Agent": "test" };

  it("includes the upgrade's headers in the authorizer's event (documented)", async () => {
    const connect = { headers: { "Sec-WebSocket-Protocol": "a" } };
    const { url, port, events } = await serve(guarded(), { authorize: allow(), connect }, clock);
    await join(`${url}/?colour=red&colour=blue`, ["a", "b"], { headers });
    const [event] = events.authorize ?? [];
    const single = {
      Host: `127.0.0.1:${port}`,
      Connection: "Upgrade",
      Upgrade: "websocket",
      "Sec-WebSocket-Version": "13",
      "Sec-WebSocket-Key": expect.any(String),
      "Sec-WebSocket-Extensions": expect.any(String),
      "Sec-WebSocket-Protocol": "a,b",
      ...headers,
      "content-length": "0",
      "X-Forwarded-For": "127.0.0.1",
      "X-Forwarded-Port": "443",
      "X-Forwarded-Proto": "https",
    };
    expect(event).toStrictEqual({
      type: "REQUEST",
      methodArn: "arn:aws:execute-api:us-east-1:000000000000:Api/live/$connect",
      headers: single,
      multiValueHeaders: Object.fromEntries(Object.entries(single).map(([name, value]) => [name, [value]])),
      queryStringParameters: { colour: "blue" },
      multiValueQueryStringParameters: { colour: ["red", "blue"] },
      stageVariables: {},
      requestContext: {
        routeKey: "$connect",
        eventType: "CONNECT",
        messageDirection: "IN",
        stage: "live",
        apiId: "Api",
        domainName: `127.0.0.1:${port}`,
        connectionId: expect.stringMatching(ID),
        connectedAt: clock.now().getTime(),
        requestId: expect.stringMatching(ID),
        extendedRequestId: event?.requestContext.requestId,
        requestTime: "21/Nov/2026:09:14:00 +0000",
        requestTimeEpoch: clock.now().getTime(),
        identity: { userAgent: "test", sourceIp: "127.0.0.1" },
      },
    });
  });

  it("omits the upgrade's headers and an absent query in the event of $connect (recorded)", async () => {
    const authorize = allow({ plan: "Pro", seats: 2 });
    const { url, port, events } = await serve(guarded(), { authorize }, clock);
    await join(url, [], { headers });
    const [event] = events.connect ?? [];
    expect(event).toStrictEqual({
      headers: expect.objectContaining({ Host: `127.0.0.1:${port}`, ...headers, "X-Forwarded-Port": "443" }),
      multiValueHeaders: expect.objectContaining({ Authorization: ["Bearer x"] }),
      requestContext: {
        ...events.authorize?.[0]?.requestContext,
        requestId: expect.stringMatching(ID),
        extendedRequestId: expect.stringMatching(ID),
        authorizer: { principalId: "alice", plan: "Pro", seats: "2", integrationLatency: 0 },
      },
      isBase64Encoded: false,
    });
    for (const name of ["Connection", "Upgrade", "content-length"])
      expect(event?.headers).not.toHaveProperty(name);
  });

  it("includes the query in a handshake's event", async () => {
    const { url, events } = await serve(route("$connect"));
    await join(`${url}?a=1&a=2`);
    expect(events.connect?.[0]).toMatchObject({
      queryStringParameters: { a: "2" },
      multiValueQueryStringParameters: { a: ["1", "2"] },
    });
    expect(events.connect?.[0]?.requestContext).not.toHaveProperty("authorizer");
  });

  it("creates a new trace id, and no user agent if the client sends none", async () => {
    const { url, events } = await serve(route("$connect"));
    await join(url);
    const { requestContext, headers } = events.connect?.[0] ?? {};
    expect(requestContext?.identity).toStrictEqual({ sourceIp: "127.0.0.1" });
    expect(headers?.["X-Amzn-Trace-Id"]).toMatch(/^Root=1-[\da-f]{8}-[\da-f]{24}$/);
  });
});

describe("connection ids", () => {
  it("gives each connection a unique id", async () => {
    const { url, events } = await serve(route("$connect"));
    await Promise.all(Array.from({ length: 20 }, () => join(url)));
    const ids = events.connect?.map(({ requestContext }) => requestContext.connectionId);
    expect(new Set(ids).size).toBe(20);
  });
});

describe("connect", () => {
  it("admits every client if there is no $connect", async () => {
    const { url } = await serve(talking("$default"), { default: { body: "hi" } });
    const { socket, messages } = await join(url);
    socket.send("?");
    await eventually(() => messages).toEqual(["hi"]);
  });

  it.each([200, 204, 299])("admits a client if $connect answers %d", async (statusCode) => {
    const { url } = await serve(route("$connect"), { connect: { statusCode } });
    await join(url);
  });

  it("sends the client only the subprotocol of $connect's answer", async () => {
    const connect = {
      statusCode: 200,
      headers: { "sec-websocket-protocol": "b", "X-Other": "x" },
      body: "hello",
    };
    const { url } = await serve(route("$connect"), { connect });
    const { socket, messages } = await join(url, ["a", "b"]);
    expect(socket.protocol).toBe("b");
    expect(messages).toEqual([]);
  });
});

describe("a refused client", () => {
  const bodyWith = (message: string) => ({
    message,
    connectionId: expect.stringMatching(ID),
    requestId: expect.stringMatching(ID),
  });

  it.each<[problem: string, authorize: unknown, status: number, message: string, reason?: string]>([
    ["throws exactly Unauthorized", throws("Unauthorized"), 401, "Unauthorized"],
    [
      "denies access",
      allow({}, "Deny"),
      403,
      "User is not authorized to access this resource with an explicit deny",
    ],
    [
      "does not allow access",
      { ...allow(), policyDocument: { Statement: [] } },
      403,
      "User is not authorized to access this resource",
    ],
    ["throws another error", throws("unauthorized"), 500, "Internal server error", "the authorizer failed"],
    [
      "has no policy",
      {},
      500,
      "Internal server error",
      "the authorizer's answer is malformed at principalId",
    ],
  ])("answers a client with an error if the authorizer %s", async (_, authorize, status, message, reason) => {
    const { url, events, reports } = await serve(guarded(), { authorize });
    expect(await refusal(url)).toEqual({ status, type: "application/json", body: bodyWith(message) });
    expect(events.connect).toBeUndefined();
    expect(reports).toEqual(reason ? [`$connect: ${reason}`] : []);
  });

  it("answers with a 500 if the authorizer may not be invoked", async () => {
    const asked: string[][] = [];
    const mayInvoke = (...pair: string[]) => asked.push(pair) === 0;
    const { url, events } = await serve(guarded(), {}, { mayInvoke });
    expect(await refusal(url)).toMatchObject({ status: 500 });
    expect(asked).toEqual([
      [
        "arn:aws:lambda:us-east-1:000000000000:function:authorize",
        "arn:aws:execute-api:us-east-1:000000000000:Api/authorizers/Authorizer",
      ],
    ]);
    expect(events).toEqual({});
  });

  it.each<[problem: string, connect: unknown, status: number, message: string, reason?: string]>([
    ["answers 400", { statusCode: 400, body: "no" }, 400, "Bad Request"],
    ["answers 302", { statusCode: 302 }, 302, "Found"],
    ["answers 500", { statusCode: 500 }, 500, "Internal Server Error"],
    ["throws", throws("boom"), 502, "Internal server error", "the function failed"],
    ["answers nothing", null, 502, "Internal server error", "the function's answer is malformed at its top"],
    [
      "answers with a broken header",
      { headers: { "Sec-WebSocket-Protocol": "a\r\nX: y" } },
      502,
      "Internal server error",
      "the function's answer is malformed at the value of Sec-WebSocket-Protocol",
    ],
  ])("answers a client with an error if $connect %s", async (_, connect, status, message, reason) => {
    const { url, reports } = await serve(route("$connect"), { connect });
    expect(await refusal(url)).toEqual({ status, type: "application/json", body: bodyWith(message) });
    expect(reports).toEqual(reason ? [`$connect: ${reason}`] : []);
  });

  it("answers with a 504 if $connect takes too long", async () => {
    const { url, reports } = await serve(hasty(route("$connect")), { connect: () => new Promise(() => {}) });
    expect(await refusal(url)).toMatchObject({ status: 504 });
    expect(reports).toEqual(["$connect: the function did not answer within 50 ms"]);
  });

  it("answers with a 500 if $connect may not be invoked", async () => {
    const { url } = await serve(
      route("$connect"),
      {},
      { mayInvoke: (_, source) => !source.endsWith("/live/$connect") },
    );
    expect(await refusal(url)).toMatchObject({ status: 500 });
  });

  it.each(["/live", "/other?x=/", "//", "/@connections/x"])(
    "answers with a 403 for the path %s",
    async (path) => {
      const { url, events } = await serve(guarded(), { authorize: allow() });
      expect(await refusal(url + path)).toMatchObject({ status: 403, body: { message: "Forbidden" } });
      expect(events).toEqual({});
    },
  );
});
