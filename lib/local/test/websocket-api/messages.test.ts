import { describe, expect, it } from "vitest";
import { allow, type GivenEvent, guarded, hasty, route, talking, throws } from "./fixture.ts";
import { eventually, join, serve } from "./stream.ts";

const ID = /^[\w-]{15}=$/;

/** Answers with the route of a message and the message itself. */
const echo = ({ requestContext: { routeKey }, body }: GivenEvent) => ({
  statusCode: 200,
  body: `${routeKey} ${body}`,
});

/** Builds an answer of API Gateway itself. */
const frame = (message: string, connectionId: unknown = expect.stringMatching(ID)) => ({
  message,
  connectionId,
  requestId: expect.stringMatching(ID),
});

describe("routing of messages", () => {
  it("turns a message into an event with the connection's context", async () => {
    const clock = { now: () => new Date("2026-11-21T09:14:00.123Z") };
    const authorize = allow({ plan: "Pro" });
    const resources = [...guarded(), ...talking("ping")];
    const { url, port, events } = await serve(resources, { authorize }, clock);
    const { say } = await join(url, [], { headers: { "User-Agent": "test" } });
    say({ type: "ping", text: "Zoë" });
    await eventually(() => events.ping).toHaveLength(1);
    const [event] = events.ping ?? [];
    const { requestId, connectionId } = event?.requestContext ?? {};
    expect(event).toStrictEqual({
      requestContext: {
        routeKey: "ping",
        eventType: "MESSAGE",
        messageId: expect.stringMatching(ID),
        messageDirection: "IN",
        connectionId: events.connect?.[0]?.requestContext.connectionId,
        connectedAt: clock.now().getTime(),
        requestTimeEpoch: clock.now().getTime(),
        requestTime: "21/Nov/2026:09:14:00 +0000",
        requestId: expect.stringMatching(ID),
        extendedRequestId: requestId,
        stage: "live",
        apiId: "Api",
        domainName: `127.0.0.1:${port}`,
        identity: { userAgent: "test", sourceIp: "127.0.0.1" },
        authorizer: { principalId: "alice", plan: "Pro", integrationLatency: 0 },
      },
      body: '{"type":"ping","text":"Zoë"}',
      isBase64Encoded: false,
    });
    expect(new Set([requestId, connectionId, event?.requestContext.messageId]).size).toBe(3);
  });

  it.each([
    ['{"type":"ping"}', "ping"],
    ['{"type":"pong"}', "$default"],
    ['{"type":"Ping"}', "$default"],
    ['{"type":7}', "$default"],
    ['{"type":{"type":"ping"}}', "$default"],
    ['{"kind":"ping"}', "$default"],
    ['["ping"]', "$default"],
    ['"ping"', "$default"],
    ["null", "$default"],
    ["", "$default"],
    ["{", "$default"],
    ["ping", "$default"],
    ['{"type":"$default"}', "$default"],
    ['{"type":"$connect"}', "$default"],
    ['{"type":"$disconnect"}', "$default"],
    ['{"type":"constructor"}', "$default"],
  ])("routes the message %s to %s", async (body, routeKey) => {
    const resources = [
      ...route("$connect"),
      ...route("$disconnect"),
      ...talking("ping"),
      ...talking("$default"),
    ];
    const { url, events } = await serve(resources, { ping: echo, default: echo });
    const { socket, messages } = await join(url);
    socket.send(body);
    await eventually(() => messages).toEqual([`${routeKey} ${body}`]);
    expect(events.connect).toHaveLength(1);
    expect(events.disconnect).toBeUndefined();
  });

  it("refuses a message that has no route if there is no $default", async () => {
    const { url, events } = await serve([...route("$connect"), ...talking("ping")]);
    const { socket, messages } = await join(url);
    socket.send("what?");
    await eventually(() => messages).toHaveLength(1);
    const connectionId = events.connect?.[0]?.requestContext.connectionId;
    expect(JSON.parse(messages[0] ?? "")).toStrictEqual(frame("Forbidden", connectionId));
  });
});

describe("the answer to a message", () => {
  /** Collects all answers to a message. A second message marks the end. */
  async function answersOf(resources: typeof route, answer: unknown) {
    const { url, reports } = await serve([...resources("say"), ...talking("end")], {
      say: answer,
      end: { body: "end" },
    });
    const { say, messages } = await join(url);
    say({ type: "say" });
    say({ type: "end" });
    await eventually(() => messages).toContain("end");
    return { messages: messages.filter((message) => message !== "end"), reports };
  }

  it.each([
    ["the text of the body", { statusCode: 200, body: "héllo" }, ["héllo"]],
    ["the text of the body, whatever the status", { statusCode: 500, body: "sorry" }, ["sorry"]],
    ["a base64 body, unchanged", { body: "aGk=", isBase64Encoded: true }, ["aGk="]],
    ["an empty frame without a body (reported)", { statusCode: 200 }, [""]],
    ["an empty frame for an empty body", { statusCode: 200, body: "" }, [""]],
  ])("is %s", async (_, answer, expected) => {
    expect(await answersOf(talking, answer)).toEqual({ messages: expected, reports: [] });
  });

  it("sends no answer if the route has no response", async () => {
    expect(await answersOf(route, { statusCode: 200, body: "hello" })).toEqual({ messages: [], reports: [] });
  });

  it("sends no answer if the route selects a response that does not exist", async () => {
    const half = (key: string) => route(key, { RouteResponseSelectionExpression: "$default" });
    expect(await answersOf(half, { statusCode: 200, body: "hello" })).toEqual({ messages: [], reports: [] });
  });

  it.each<[string, unknown, string]>([
    ["fails", throws("secret"), "the function failed"],
    ["does not answer with an object", "hello", "the function's answer is malformed at its top"],
    [
      "answers with a body that is not text",
      { body: { a: 1 } },
      "the function's answer is malformed at body",
    ],
  ])("hides the reason if the function %s, with or without a response", async (_, answer, reason) => {
    for (const resources of [talking, route]) {
      const { messages, reports } = await answersOf(resources, answer);
      expect(messages.map((message) => JSON.parse(message))).toStrictEqual([frame("Internal server error")]);
      expect(reports).toEqual([`say: ${reason}`]);
    }
  });

  it("hides the reason if the function takes too long", async () => {
    const { url, reports } = await serve(hasty(talking("say")), { say: () => new Promise(() => {}) });
    const { say, messages } = await join(url);
    say({ type: "say" });
    await eventually(() => messages).toHaveLength(1);
    expect(JSON.parse(messages[0] ?? "")).toStrictEqual(frame("Internal server error"));
    expect(reports).toEqual(["say: the function did not answer within 50 ms"]);
  });

  it("hides the reason if the function may not be invoked", async () => {
    const asked: string[] = [];
    const mayInvoke = (_: string, sourceArn: string) => asked.push(sourceArn) === 0;
    const { url } = await serve(talking("say"), {}, { mayInvoke });
    const { say, messages } = await join(url);
    say({ type: "say" });
    await eventually(() => messages).toHaveLength(1);
    expect(asked).toEqual(["arn:aws:execute-api:us-east-1:000000000000:Api/live/say"]);
  });
});

describe("messages of one connection", () => {
  it("handles a connection's messages concurrently", async () => {
    const first = Promise.withResolvers<object>();
    const { url } = await serve(talking("$default"), {
      default: ({ body }: GivenEvent) => (body === "first" ? first.promise : { body: "second" }),
    });
    const { socket, messages } = await join(url);
    socket.send("first");
    socket.send("second");
    await eventually(() => messages).toEqual(["second"]);
    first.resolve({ body: "first" });
    await eventually(() => messages).toEqual(["second", "first"]);
  });

  it("drops an answer after the connection was closed", async () => {
    const slow = Promise.withResolvers<object>();
    const { url, events } = await serve([...route("$disconnect"), ...talking("$default")], {
      default: () => slow.promise,
    });
    const { socket } = await join(url);
    socket.send("?");
    await eventually(() => events.default).toHaveLength(1);
    socket.close();
    await eventually(() => events.disconnect).toHaveLength(1);
    slow.resolve({ body: "late" });
    await slow.promise;
  });
});
