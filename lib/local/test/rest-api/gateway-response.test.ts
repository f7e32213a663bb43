import { describe, expect, it } from "vitest";
import type { Pair } from "../../src/http/messages.ts";
import { gateway, guarded, readable, resource, route, throwing } from "./fixture.ts";

const ids = {
  "x-amzn-RequestId": "00112233-4455-6677-8899-aabbccddeeff",
  "x-amz-apigw-id": "ABEiM0RVZneImao=",
};

function response(ResponseType: string, properties: Record<string, unknown>) {
  return resource("GatewayResponse", ResponseType, { ResponseType, ...properties });
}

function template(text: string) {
  return { ResponseTemplates: { "application/json": text } };
}

describe("an unknown route (recorded)", () => {
  it.each([
    "GET /nothing",
    "POST /pets",
    "HEAD /pets",
    "OPTIONS /pets",
    "GET /PETS",
    "GET /pets/7",
    "GET /v1/pets",
  ])("answers an unknown route with a 403: %s", async (line) => {
    const { send, events } = gateway(route("GET /pets"));
    expect(readable(await send(line))).toStrictEqual({
      status: 403,
      headers: {
        "Content-Type": "application/json",
        "x-amzn-ErrorType": "MissingAuthenticationTokenException",
        ...ids,
      },
      body: '{"message":"Missing Authentication Token"}',
    });
    expect(events).toStrictEqual([]);
  });

  it("treats resources without methods as unknown routes", async () => {
    const { send } = gateway(route("GET /pets/{id}"));
    expect(await send("GET /pets")).toMatchObject({ status: 403 });
  });
});

describe("an unknown route with an Authorization header", () => {
  it.each([
    [
      "Bearer a.b.c",
      "'a.b.c' not a valid key=value pair (missing equal-sign) in Authorization header: 'Bearer a.b.c'.",
    ],
    ["a.b.c", "'a.b.c' not a valid key=value pair (missing equal-sign) in Authorization header: 'a.b.c'."],
    ["Basic YQ==", "Authorization header requires 'Credential' parameter. Authorization=Basic YQ=="],
  ])("answers with a 403 that repeats %j (reported)", async (authorization, message) => {
    const { send } = gateway(guarded("GET /pets"));
    for (const line of ["GET /nothing", "POST /pets"]) {
      const answer = await send(line, { headers: [["authorization", authorization]] });
      expect(readable(answer)).toStrictEqual({
        status: 403,
        headers: {
          "Content-Type": "application/json",
          "x-amzn-ErrorType": "IncompleteSignatureException",
          ...ids,
        },
        body: JSON.stringify({ message }),
      });
    }
  });

  it("uses the GatewayResponse INVALID_SIGNATURE", async () => {
    const { send } = gateway([
      ...route("GET /pets"),
      response("MISSING_AUTHENTICATION_TOKEN", { StatusCode: "404" }),
      response("INVALID_SIGNATURE", { StatusCode: "410", ...template("gone") }),
    ]);
    const answer = await send("GET /nothing", { headers: [["Authorization", "Bearer a.b.c"]] });
    expect(readable(answer)).toMatchObject({ status: 410, body: "gone" });
  });

  it("treats an empty Authorization header as a missing token", async () => {
    const { send } = gateway(route("GET /pets"));
    const answer = await send("GET /nothing", { headers: [["Authorization", ""]] });
    expect(readable(answer)).toMatchObject({
      status: 403,
      body: '{"message":"Missing Authentication Token"}',
    });
  });
});

describe("a malformed target", () => {
  it.each(["*", "/a%", "/a%2", "/a%zz", "/a?b=%", "/a?b=%u00e9", "pets"])(
    "answers a malformed target with a 400: %s",
    async (target) => {
      const { send, events } = gateway(route("ANY /{proxy+}"));
      expect(readable(await send(`GET ${target}`))).toStrictEqual({
        status: 400,
        headers: { "Content-Type": "application/json", "x-amzn-ErrorType": "BadRequestException", ...ids },
        body: '{"message":"Bad Request"}',
      });
      expect(events).toStrictEqual([]);
    },
  );
});

describe("a GatewayResponse", () => {
  it("changes only the status by a GatewayResponse", async () => {
    const { send } = gateway([
      ...route("GET /pets"),
      response("MISSING_AUTHENTICATION_TOKEN", { StatusCode: "404" }),
    ]);
    expect(readable(await send("GET /nothing"))).toMatchObject({
      status: 404,
      headers: { "x-amzn-ErrorType": "MissingAuthenticationTokenException" },
      body: '{"message":"Missing Authentication Token"}',
    });
  });

  it("changes the body by a GatewayResponse", async () => {
    const { send } = gateway([
      ...route("GET /pets"),
      response("MISSING_AUTHENTICATION_TOKEN", template('{"error":$context.error.messageString}')),
    ]);
    expect(readable(await send("GET /nothing"))).toMatchObject({
      status: 403,
      body: '{"error":"Missing Authentication Token"}',
    });
  });

  it("adds headers with constants and with values of the request", async () => {
    const { send } = gateway(
      [
        ...guarded("GET /pets/{id}"),
        response("UNAUTHORIZED", {
          ResponseParameters: {
            "gatewayresponse.header.Access-Control-Allow-Origin": "method.request.header.Origin",
            "gatewayresponse.header.Vary": "'Origin'",
            "gatewayresponse.header.x-id": "method.request.path.id",
            "gatewayresponse.header.x-q": "method.request.querystring.q",
            "gatewayresponse.header.x-empty": "''",
            "gatewayresponse.header.x-none": "method.request.header.None",
            "gatewayresponse.header.x-case": "method.request.header.origin",
            "gatewayresponse.header.x-member": "method.request.querystring.constructor",
            "gatewayresponse.header.content-type": "'application/problem+json'",
          },
        }),
      ],
      { authorizer: throwing("Unauthorized") },
    );
    const answer = await send("GET /pets/7?q=a%20b", { headers: [["Origin", "https://a.example"]] });
    expect(readable(answer)).toStrictEqual({
      status: 401,
      headers: {
        "x-amzn-ErrorType": "UnauthorizedException",
        "Access-Control-Allow-Origin": "https://a.example",
        Vary: "Origin",
        "x-id": "7",
        "x-q": "a b",
        "x-empty": "",
        "content-type": "application/problem+json",
        ...ids,
      },
      body: '{"message":"Unauthorized"}',
    });
  });

  it("adds no second header through a value of the request", async () => {
    const { send } = gateway([
      ...route("GET /pets"),
      response("MISSING_AUTHENTICATION_TOKEN", {
        ResponseParameters: { "gatewayresponse.header.x-q": "method.request.querystring.q" },
      }),
    ]);
    const { headers } = readable(await send("GET /nothing?q=a%0d%0aSet-Cookie:%20stolen"));
    expect(headers).not.toHaveProperty("x-q");
  });

  it("changes all answers without their own GatewayResponse by the type DEFAULT_4XX or DEFAULT_5XX", async () => {
    const { send } = gateway(
      [
        ...route("GET /pets"),
        ...guarded("GET /mine"),
        response("DEFAULT_4XX", { ...template('{"four":$context.error.messageString}'), StatusCode: "418" }),
        response("DEFAULT_5XX", template('{"five":"$context.error.responseType"}')),
        response("MISSING_AUTHENTICATION_TOKEN", { StatusCode: "404" }),
      ],
      { function: throwing("x"), authorizer: throwing("Unauthorized") },
    );
    expect(readable(await send("GET /mine"))).toMatchObject({ status: 418, body: '{"four":"Unauthorized"}' });
    expect(readable(await send("GET /%"))).toMatchObject({ status: 418, body: '{"four":"Bad Request"}' });
    expect(readable(await send("GET /pets"))).toMatchObject({ status: 502, body: '{"five":"DEFAULT_5XX"}' });
    expect(readable(await send("GET /nothing"))).toMatchObject({
      status: 404,
      body: '{"message":"Missing Authentication Token"}',
    });
  });

  it("shows the message of an authorizer's 500 as null", async () => {
    const { send } = gateway(
      [
        ...guarded("GET /pets"),
        response("DEFAULT_5XX", template('{"m":$context.error.messageString,"n":"$context.error.message"}')),
      ],
      { authorizer: throwing("x") },
    );
    expect(readable(await send("GET /pets"))).toMatchObject({ status: 500, body: '{"m":null,"n":""}' });
  });
});

describe("a template of a GatewayResponse", () => {
  const host: Pair = ["Host", "localhost:3000"];

  async function rendered(text: string, target = "/nothing?a=1") {
    const { send } = gateway([
      ...guarded("GET /pets"),
      response("MISSING_AUTHENTICATION_TOKEN", template(text)),
    ]);
    return readable(await send(`GET ${target}`, { headers: [host, ["User-Agent", "$context.stage"]] })).body;
  }

  it.each([
    ["$context.error.message", "Missing Authentication Token"],
    ["$context.error.messageString", '"Missing Authentication Token"'],
    ["$context.error.responseType", "MISSING_AUTHENTICATION_TOKEN"],
    ["$context.requestId", "00112233-4455-6677-8899-aabbccddeeff"],
    ["$context.requestTime", "21/Nov/2026:09:14:00 +0000"],
    ["$context.requestTimeEpoch", "1795252440123"],
    ["$context.stage/$context.httpMethod", "v1/GET"],
    ["$context.path", "/v1/nothing"],
    ["$context.domainName", "localhost:3000"],
    ["$context.identity.sourceIp", "127.0.0.1"],
    ["$context.identity.userAgent", "$context.stage"],
    ["<$context.resourcePath>", "<>"],
    ["<$context.authorizer.userId>", "<>"],
    ["<$context.identity.userArn>", "<>"],
    ["<$context.error.validationErrorString>", "<>"],
    ["<$context.authorizer.constructor>", "<>"],
    ["a $ b, $5, ## c", "a $ b, $5, ## c"],
    ["$context.stage.", "v1."],
    ["", ""],
  ])("renders %j as %j", async (text, body) => {
    expect(await rendered(text)).toBe(body);
  });

  it.each([
    "$context.responseLatency",
    "$context.error",
    "$context.identity.apiKey",
    "$context.authorizer.claims.sub",
    "$stageVariables.colour",
    "$input.params('x')",
    "$util.escapeJavaScript($context.path)",
    "$!context.path",
    "$" + "{context.path}",
    "$method.request.header.Origin",
    '#set($a = "b")',
    "#if($context.path == '/')a#end",
  ])("refuses a GatewayResponse template with %s", async (text) => {
    await expect(rendered(text)).rejects.toThrow(
      /^MISSING_AUTHENTICATION_TOKEN \(AWS::ApiGateway::GatewayResponse\) has something that is not emulated: "/,
    );
  });
});
