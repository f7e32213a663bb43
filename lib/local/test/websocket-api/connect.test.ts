import { describe, expect, test } from "vitest";
import { allow, guarded, hasty, route, talking, throws } from "./fixture.ts";
import { eventually, join, refusal, serve } from "./stream.ts";

const ID = /^[\w-]{15}=$/;
const clock = { now: () => new Date("2026-11-21T09:14:00.123Z") };

describe("the events of a handshake", () => {
  const headers = { Authorization: "Bearer x", "X-Amzn-Trace-Id": "Root=1-2-3", "User-Agent": "test" };

  test("the authorizer's (documented: the headers of the upgrade are in it)", async () => {
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

  test("that of $connect (recorded: without those headers, and without keys for a query that there is not)", async () => {
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

  test("a query is told", async () => {
    const { url, events } = await serve(route("$connect"));
    await join(`${url}?a=1&a=2`);
    expect(events.connect?.[0]).toMatchObject({
      queryStringParameters: { a: "2" },
      multiValueQueryStringParameters: { a: ["1", "2"] },
    });
    expect(events.connect?.[0]?.requestContext).not.toHaveProperty("authorizer");
  });

  test("a client that names no user agent has none, and makes a trace of its own", async () => {
    const { url, events } = await serve(route("$connect"));
    await join(url);
    const { requestContext, headers } = events.connect?.[0] ?? {};
    expect(requestContext?.identity).toStrictEqual({ sourceIp: "127.0.0.1" });
    expect(headers?.["X-Amzn-Trace-Id"]).toMatch(/^Root=1-[\da-f]{8}-[\da-f]{24}$/);
  });
});

test("every connection has an id of its own", async () => {
  const { url, events } = await serve(route("$connect"));
  await Promise.all(Array.from({ length: 20 }, () => join(url)));
  const ids = events.connect?.map(({ requestContext }) => requestContext.connectionId);
  expect(new Set(ids).size).toBe(20);
});

describe("who is let in", () => {
  test("without $connect, everybody", async () => {
    const { url } = await serve(talking("$default"), { default: { body: "hi" } });
    const { socket, messages } = await join(url);
    socket.send("?");
    await eventually(() => messages).toEqual(["hi"]);
  });

  test.each([200, 204, 299])("$connect answers %d", async (statusCode) => {
    const { url } = await serve(route("$connect"), { connect: { statusCode } });
    await join(url);
  });

  test("$connect alone decides on the subprotocol, and nothing else of its answer is passed on", async () => {
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

describe("who is not", () => {
  const told = (message: string) => ({
    message,
    connectionId: expect.stringMatching(ID),
    requestId: expect.stringMatching(ID),
  });

  test.each<[why: string, authorize: unknown, status: number, message: string, reason?: string]>([
    ["thrown exactly Unauthorized", throws("Unauthorized"), 401, "Unauthorized"],
    [
      "denied",
      allow({}, "Deny"),
      403,
      "User is not authorized to access this resource with an explicit deny",
    ],
    [
      "not allowed",
      { ...allow(), policyDocument: { Statement: [] } },
      403,
      "User is not authorized to access this resource",
    ],
    ["thrown otherwise", throws("unauthorized"), 500, "Internal server error", "the authorizer has failed"],
    ["no policy", {}, 500, "Internal server error", "the authorizer's answer is malformed at principalId"],
  ])("the authorizer has %s", async (_, authorize, status, message, reason) => {
    const { url, events, reports } = await serve(guarded(), { authorize });
    expect(await refusal(url)).toEqual({ status, type: "application/json", body: told(message) });
    expect(events.connect).toBeUndefined();
    expect(reports).toEqual(reason ? [`$connect: ${reason}`] : []);
  });

  test("the authorizer may not be invoked", async () => {
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

  test.each<[why: string, connect: unknown, status: number, message: string, reason?: string]>([
    ["answers 400", { statusCode: 400, body: "no" }, 400, "Bad Request"],
    ["answers 302", { statusCode: 302 }, 302, "Found"],
    ["answers 500", { statusCode: 500 }, 500, "Internal Server Error"],
    ["throws", throws("boom"), 502, "Internal server error", "the function has failed"],
    ["answers nothing", null, 502, "Internal server error", "the function's answer is malformed at its top"],
    [
      "answers with a broken header",
      { headers: { "Sec-WebSocket-Protocol": "a\r\nX: y" } },
      502,
      "Internal server error",
      "the function's answer is malformed at the value of Sec-WebSocket-Protocol",
    ],
  ])("$connect %s", async (_, connect, status, message, reason) => {
    const { url, reports } = await serve(route("$connect"), { connect });
    expect(await refusal(url)).toEqual({ status, type: "application/json", body: told(message) });
    expect(reports).toEqual(reason ? [`$connect: ${reason}`] : []);
  });

  test("$connect takes too long", async () => {
    const { url, reports } = await serve(hasty(route("$connect")), { connect: () => new Promise(() => {}) });
    expect(await refusal(url)).toMatchObject({ status: 504 });
    expect(reports).toEqual(["$connect: the function has not answered within 50 ms"]);
  });

  test("$connect may not be invoked", async () => {
    const { url } = await serve(
      route("$connect"),
      {},
      { mayInvoke: (_, source) => !source.endsWith("/live/$connect") },
    );
    expect(await refusal(url)).toMatchObject({ status: 500 });
  });

  test.each(["/live", "/other?x=/", "//", "/@connections/x"])("the path is %s", async (path) => {
    const { url, events } = await serve(guarded(), { authorize: allow() });
    expect(await refusal(url + path)).toMatchObject({ status: 403, body: { message: "Forbidden" } });
    expect(events).toEqual({});
  });
});

describe("identity sources", () => {
  const sources = guarded({
    IdentitySource: ["route.request.header.Authorization", "route.request.header.X-Device"],
  });

  test.each([{}, { Authorization: "x" }, { authorization: "", "x-device": "d" }])(
    "%j is a 401 at once",
    async (headers) => {
      const { url, events } = await serve(sources, { authorize: allow() });
      expect(await refusal(url, { headers })).toMatchObject({
        status: 401,
        body: { message: "Unauthorized" },
      });
      expect(events).toEqual({});
    },
  );

  test("all there, in any case", async () => {
    const { url } = await serve(sources, { authorize: allow() });
    await join(url, [], { headers: { authorization: "x", "x-DEVICE": "d" } });
  });

  test.each([{}, { IdentitySource: [] }])("%j always asks", async (properties) => {
    const { url, events } = await serve(guarded(properties), { authorize: allow() });
    await join(url);
    expect(events.authorize).toHaveLength(1);
  });
});
