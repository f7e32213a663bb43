import { describe, expect, test } from "vitest";
import { allow, type GivenEvent, guarded, hasty, route, talking, throws } from "./fixture.ts";
import { eventually, join, serve } from "./stream.ts";

const ID = /^[\w-]{15}=$/;

/** Answers with the route that a message came by, and the message itself. */
const echo = ({ requestContext: { routeKey }, body }: GivenEvent) => ({
  statusCode: 200,
  body: `${routeKey} ${body}`,
});

/** What a client gets when API Gateway itself answers. */
const frame = (message: string, connectionId: unknown = expect.stringMatching(ID)) => ({
  message,
  connectionId,
  requestId: expect.stringMatching(ID),
});

test("the event of a message", async () => {
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

describe("a message finds its route", () => {
  test.each([
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
  ])("%s", async (body, routeKey) => {
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

  test("and without $default it is told that there is none", async () => {
    const { url, events } = await serve([...route("$connect"), ...talking("ping")]);
    const { socket, messages } = await join(url);
    socket.send("what?");
    await eventually(() => messages).toHaveLength(1);
    const connectionId = events.connect?.[0]?.requestContext.connectionId;
    expect(JSON.parse(messages[0] ?? "")).toStrictEqual(frame("Forbidden", connectionId));
  });
});

describe("what comes back", () => {
  /** The function's answer to the first message, then that to a second one, so that nothing is still under way. */
  async function hear(resources: typeof route, answer: unknown) {
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

  test.each([
    ["text", { statusCode: 200, body: "héllo" }, ["héllo"]],
    ["text, whatever the status", { statusCode: 500, body: "sorry" }, ["sorry"]],
    ["base64 as it is", { body: "aGk=", isBase64Encoded: true }, ["aGk="]],
    ["no body", { statusCode: 200 }, []],
    ["an empty body", { statusCode: 200, body: "" }, []],
  ])("%s", async (_, answer, expected) => {
    expect(await hear(talking, answer)).toEqual({ messages: expected, reports: [] });
  });

  test("nothing, where the route has no response", async () => {
    expect(await hear(route, { statusCode: 200, body: "hello" })).toEqual({ messages: [], reports: [] });
  });

  test("nothing, where the route selects a response that there is not", async () => {
    const half = (key: string) => route(key, { RouteResponseSelectionExpression: "$default" });
    expect(await hear(half, { statusCode: 200, body: "hello" })).toEqual({ messages: [], reports: [] });
  });

  test.each<[string, unknown, string]>([
    ["a function that throws", throws("secret"), "the function has failed"],
    ["an answer that is none", "hello", "the function's answer is malformed at its top"],
    ["a body that is no text", { body: { a: 1 } }, "the function's answer is malformed at body"],
  ])("a frame that tells nothing, for %s, and with or without a response", async (_, answer, reason) => {
    for (const resources of [talking, route]) {
      const { messages, reports } = await hear(resources, answer);
      expect(messages.map((message) => JSON.parse(message))).toStrictEqual([frame("Internal server error")]);
      expect(reports).toEqual([`say: ${reason}`]);
    }
  });

  test("the same for a function that takes too long", async () => {
    const { url, reports } = await serve(hasty(talking("say")), { say: () => new Promise(() => {}) });
    const { say, messages } = await join(url);
    say({ type: "say" });
    await eventually(() => messages).toHaveLength(1);
    expect(JSON.parse(messages[0] ?? "")).toStrictEqual(frame("Internal server error"));
    expect(reports).toEqual(["say: the function has not answered within 50 ms"]);
  });

  test("the same where it may not be invoked", async () => {
    const asked: string[] = [];
    const mayInvoke = (_: string, sourceArn: string) => asked.push(sourceArn) === 0;
    const { url } = await serve(talking("say"), {}, { mayInvoke });
    const { say, messages } = await join(url);
    say({ type: "say" });
    await eventually(() => messages).toHaveLength(1);
    expect(asked).toEqual(["arn:aws:execute-api:us-east-1:000000000000:Api/live/say"]);
  });
});

test("messages of one connection are handled at the same time", async () => {
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

test("an answer for who is gone is dropped", async () => {
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
