import { describe, expect, it } from "vitest";
import { authorizerArn, gateway, guarded, readable, resource, route, throwing } from "./fixture.ts";

const base = "arn:aws:execute-api:us-east-1:000000000000:Api/v1";
const allow = (Resource: unknown = "*", Effect = "Allow", Action: unknown = "execute-api:Invoke") => ({
  principalId: "u1",
  policyDocument: { Version: "2012-10-17", Statement: [{ Effect, Action, Resource }] },
});

/** Shows the authorizer's context to a refused caller. */
const accessDenied = resource("GatewayResponse", "AccessDenied", {
  ResponseType: "ACCESS_DENIED",
  StatusCode: "401",
  ResponseTemplates: {
    "application/json":
      '{"error":"$context.authorizer.reason","needsRefresh":$context.authorizer.expired,"who":"$context.authorizer.principalId$context.authorizer.constructor"}',
  },
});

describe("calls of an authorizer", () => {
  it("passes an event with empty maps and a Content-Length to the authorizer (recorded)", async () => {
    const { send, authorizerEvents } = gateway(guarded("POST /pets"), { authorizer: allow() });
    await send("POST /pets/", {
      body: Buffer.from("{}"),
      headers: [
        ["Host", "localhost:3000"],
        ["authorization", "Bearer x"],
        ["Connection", "close"],
        ["Content-Length", "2"],
      ],
    });
    const headers = {
      Host: "localhost:3000",
      Authorization: "Bearer x",
      "Content-Length": "2",
      "X-Amzn-Trace-Id": "Root=1-6b0160d8-00112233445566778899aabb",
      "X-Forwarded-For": "127.0.0.1",
      "X-Forwarded-Port": "443",
      "X-Forwarded-Proto": "https",
    };
    const [event] = authorizerEvents;
    expect(event).toStrictEqual({
      type: "REQUEST",
      methodArn: `${base}/POST/pets/`,
      resource: "/pets",
      path: "/pets/",
      httpMethod: "POST",
      headers,
      multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
      queryStringParameters: {},
      multiValueQueryStringParameters: {},
      pathParameters: {},
      stageVariables: {},
      requestContext: event?.requestContext,
    });
    expect(event?.requestContext).toMatchObject({ path: "/v1/pets/", resourcePath: "/pets", stage: "v1" });
    expect(event?.requestContext).not.toHaveProperty("authorizer");
  });

  it("passes the query and the path parameters to the authorizer", async () => {
    const { send, authorizerEvents } = gateway(guarded("GET /pets/{id}"), { authorizer: allow() });
    await send("GET /pets/a%2Fb?x=1&x=2");
    expect(authorizerEvents[0]).toMatchObject({
      methodArn: `${base}/GET/pets/a%2Fb`,
      queryStringParameters: { x: "2" },
      multiValueQueryStringParameters: { x: ["1", "2"] },
      pathParameters: { id: "a%2Fb" },
    });
  });

  it("passes the authorizer's context to the function as strings, except for the latency (recorded)", async () => {
    let ms = 0;
    const { send, events } = gateway(
      guarded("GET /pets"),
      {
        authorizer: {
          ...allow(),
          context: {
            name: "Zoë",
            count: 7,
            admin: true,
            nothing: null,
            principalId: "x",
            integrationLatency: "y",
          },
          usageIdentifierKey: "k".repeat(20),
        },
      },
      { now: () => new Date(ms++) },
    );
    expect(await send("GET /pets")).toMatchObject({ status: 200 });
    expect(events[0]?.requestContext.authorizer).toStrictEqual({
      principalId: "u1",
      name: "Zoë",
      count: "7",
      admin: "true",
      integrationLatency: 1,
    });
  });

  it("runs no authorizer for a method without one", async () => {
    const { send, events, authorizerEvents } = gateway([...guarded("GET /pets"), ...route("GET /health")]);
    expect(await send("GET /health")).toMatchObject({ status: 200 });
    expect(authorizerEvents).toStrictEqual([]);
    expect(events[0]?.requestContext).not.toHaveProperty("authorizer");
  });
});

describe("the authorizer's policy", () => {
  const implicit = "User is not authorized to access this resource";
  const explicit = "User is not authorized to access this resource with an explicit deny";
  const statements = (...Statement: unknown[]) => ({
    principalId: "u1",
    policyDocument: { Version: "2012-10-17", Statement },
  });
  const of = (Effect: string, Resource: unknown) => ({ Effect, Action: "execute-api:Invoke", Resource });

  it.each<[answer: unknown, refusal?: string]>([
    [allow("*")],
    [allow(`${base}/GET/pets/7`)],
    [allow(`${base}/GET/pets/?`)],
    [allow(`${base}/*/pets/*`)],
    [allow("arn:aws:execute-api:*:*:Api/*")],
    [allow(["arn:none", `${base}/*`])],
    [allow(["x".repeat(512), `${base}/*`])],
    [allow("*", "Allow", "*")],
    [allow("*", "Allow", "execute-api:*")],
    [allow("*", "Allow", "Execute-API:invoke")],
    [allow("*", "Allow", ["s3:*", "execute-api:Invoke"])],
    [{ principalId: "u1", policyDocument: { Statement: of("Allow", "*") } }],
    [statements(), implicit],
    [allow(`${base}/GET/pets`), implicit],
    [allow(`${base}/GET/pets/77`), implicit],
    [allow(`${base}/get/pets/7`), implicit],
    [allow(`${base}/GET/pets/??`), implicit],
    [allow("arn:aws:execute-api:us-east-1:000000000000:Other/*"), implicit],
    [allow(`${base.replace("us-east-1", "us.east-1")}/*`), implicit],
    [allow(`x${base}/*`), implicit],
    [allow("Api/v1/GET/pets/7"), implicit],
    [allow("*", "Allow", "s3:GetObject"), implicit],
    [allow("*", "Allow", "execute-api:InvokeAll"), implicit],
    [allow("*", "Deny"), explicit],
    [statements(of("Allow", "*"), of("Deny", `${base}/GET/*`)), explicit],
    [statements(of("Deny", `${base}/GET/*`), of("Allow", "*")), explicit],
    [statements(of("Allow", "*"), of("Deny", `${base}/POST/*`))],
  ])("evaluates the policy in the answer %j", async (authorizer, refusal) => {
    const { send, events } = gateway(guarded("GET /pets/{id}"), { authorizer });
    const { status, headers, body } = readable(await send("GET /pets/7"));
    if (refusal === undefined) {
      expect({ status, calls: events.length }).toStrictEqual({ status: 200, calls: 1 });
    } else {
      expect({ status, body, calls: events.length }).toStrictEqual({
        status: 403,
        body: JSON.stringify({ Message: refusal }),
        calls: 0,
      });
      expect(headers).toMatchObject({ "x-amzn-ErrorType": "AccessDeniedException" });
      expect(headers).not.toHaveProperty("X-Amzn-Trace-Id");
    }
  });

  it("refuses a caller with an answer from the authorizer's context", async () => {
    const { send } = gateway([...guarded("GET /pets"), accessDenied], {
      authorizer: { ...allow("*", "Deny"), context: { reason: "Token expired", expired: true } },
    });
    expect(readable(await send("GET /pets"))).toMatchObject({
      status: 401,
      body: '{"error":"Token expired","needsRefresh":true,"who":"u1"}',
    });
  });
});

describe("an authorizer that makes no decision", () => {
  it("answers with a 401 if the authorizer throws Unauthorized", async () => {
    const { send, events, reports } = gateway([...guarded("GET /pets"), accessDenied], {
      authorizer: throwing("Unauthorized"),
    });
    const { status, headers, body } = readable(await send("GET /pets"));
    expect({ status, body }).toStrictEqual({ status: 401, body: '{"message":"Unauthorized"}' });
    expect(headers).toMatchObject({ "x-amzn-ErrorType": "UnauthorizedException" });
    expect({ events, reports }).toStrictEqual({ events: [], reports: [] });
  });

  const malformedAt = (where: string) => `the authorizer's answer is malformed at ${where}`;
  const { policyDocument } = allow();

  it.each<[name: string, authorizer: unknown, reason: string]>([
    ["throws unauthorized", throwing("unauthorized"), "the authorizer failed"],
    ["throws Unauthorized.", throwing("Unauthorized."), "the authorizer failed"],
    ["dies", () => ({ payload: "", functionError: "Unhandled" }), "the authorizer failed"],
    ["answers nothing", null, malformedAt("its top")],
    ["answers text", () => ({ payload: "Unauthorized" }), malformedAt("its top")],
    ["names no principal", { policyDocument }, malformedAt("principalId")],
    ["has no policy", { principalId: "u1" }, malformedAt("policyDocument")],
    [
      "has an empty policy",
      { principalId: "u1", policyDocument: {} },
      malformedAt("policyDocument.Statement"),
    ],
    ["has an object in its context", { ...allow(), context: { a: {} } }, malformedAt("context.a")],
    ["has an array in its context", { ...allow(), context: { a: [1] } }, malformedAt("context.a")],
    ["has an array for its context", { ...allow(), context: ["a"] }, malformedAt("context")],
    ["has a number for a key", { ...allow(), usageIdentifierKey: 1 }, malformedAt("usageIdentifierKey")],
    ["has another effect", allow("*", "allow"), malformedAt("policyDocument.Statement")],
    [
      "has a condition, which is not evaluated",
      {
        principalId: "u1",
        policyDocument: { Statement: [{ ...policyDocument.Statement[0], Condition: { Bool: { a: true } } }] },
      },
      malformedAt("policyDocument.Statement"),
    ],
    [
      "has a resource of 513 characters",
      allow("x".repeat(513)),
      malformedAt("policyDocument.Statement.0.Resource"),
    ],
    [
      "has a longer resource in a list",
      allow(["*", "x".repeat(513)]),
      malformedAt("policyDocument.Statement.0.Resource.1"),
    ],
  ])("answers with a 500 if the authorizer %s", async (_, authorizer, reason) => {
    const { send, events, reports } = gateway([...guarded("GET /pets"), accessDenied], { authorizer });
    const { status, headers, body } = readable(await send("GET /pets"));
    expect({ status, body }).toStrictEqual({ status: 500, body: '{"message":null}' });
    expect(headers).toMatchObject({ "x-amzn-ErrorType": "AuthorizerConfigurationException" });
    expect({ events, reports }).toStrictEqual({ events: [], reports: [`GET /pets: ${reason}`] });
  });

  it("answers with a 500 if the authorizer may not be invoked", async () => {
    const asked: string[][] = [];
    const { send, authorizerEvents } = gateway(
      guarded("GET /pets"),
      {},
      {
        mayInvoke: (...pair) => {
          asked.push(pair);
          return false;
        },
      },
    );
    expect(readable(await send("GET /pets"))).toMatchObject({ status: 500, body: '{"message":null}' });
    expect(asked).toStrictEqual([
      [authorizerArn, "arn:aws:execute-api:us-east-1:000000000000:Api/authorizers/Authorizer"],
    ]);
    expect(authorizerEvents).toStrictEqual([]);
  });
});

describe("the method ARN", () => {
  it("answers with a 414 if the method ARN exceeds 1600 bytes", async () => {
    const { send, authorizerEvents } = gateway(guarded("GET /{proxy+}"), { authorizer: allow() });
    const longest = `/${"a".repeat(1600 - `${base}/GET/`.length)}`;
    expect(await send(`GET ${longest}`)).toMatchObject({ status: 200 });
    expect(await send(`GET ${longest}a`)).toMatchObject({ status: 414 });
    expect(authorizerEvents).toHaveLength(1);
  });
});
