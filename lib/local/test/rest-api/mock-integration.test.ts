import { describe, expect, it } from "vitest";
import type { Pair } from "../../src/http/messages.ts";
import { gateway, readable, route } from "./fixture.ts";
import { synthesized } from "./synthesized.ts";

const ids = {
  "x-amzn-RequestId": "00112233-4455-6677-8899-aabbccddeeff",
  "x-amz-apigw-id": "ABEiM0RVZneImao=",
};

describe("CDK's preflight", () => {
  const ofOne = gateway([], {}, synthesized("preflight-one-origin"));
  const ofSeveral = gateway([], {}, synthesized("preflight-several-origins"));

  const answer = (origin: string) => ({
    status: 204,
    headers: {
      "Content-Type": "application/json",
      "Access-Control-Allow-Headers": "Authorization,Content-Type",
      "Access-Control-Allow-Origin": origin,
      Vary: "Origin",
      "Access-Control-Allow-Methods": "GET,POST",
      "Access-Control-Allow-Credentials": "true",
      "Access-Control-Max-Age": "3600",
      ...ids,
    },
  });

  it.each(["/", "/pets", "/pets/7"])("answers a preflight with a single origin at %s", async (path) => {
    const { send, events } = ofOne;
    const asked: Pair[] = [["Origin", "https://evil.example"]];
    expect(readable(await send(`OPTIONS ${path}`, { headers: asked }))).toStrictEqual({
      ...answer("https://a.example"),
      body: "",
    });
    expect(events).toStrictEqual([]);
  });

  it.each<[headers: Pair[], origin: string]>([
    [[["Origin", "https://a.example"]], "https://a.example"],
    [[["Origin", "https://b.example"]], "https://b.example"],
    [[["origin", "http://localhost:5173"]], "http://localhost:5173"],
    [[["Origin", "https://b.example.evil"]], "https://a.example"],
    [[["Origin", "https://B.example"]], "https://a.example"],
    [[["ORIGIN", "https://b.example"]], "https://a.example"],
    [[["Origin", "$context"]], "https://a.example"],
    [[["Origin", ""]], "https://a.example"],
    [[], "https://a.example"],
  ])("answers a preflight with the headers %j with one of several origins, %s", async (headers, origin) => {
    expect(readable(await ofSeveral.send("OPTIONS /pets", { headers }))).toMatchObject(answer(origin));
  });

  it("leaves the next request unaffected by a preflight", async () => {
    const { send } = ofSeveral;
    await send("OPTIONS /pets", { headers: [["Origin", "https://b.example"]] });
    expect(readable(await send("OPTIONS /pets"))).toMatchObject(answer("https://a.example"));
  });
});

/** Creates a route with a mock integration. */
function mock(
  Integration: Record<string, unknown>,
  MethodResponses: unknown = [200, 404].map((status) => ({
    StatusCode: String(status),
    ResponseParameters: { "method.response.header.X-Kind": true },
  })),
) {
  return route("POST /pets/{id}", {
    Integration: {
      Type: "MOCK",
      RequestTemplates: { "application/json": '{"statusCode": 200}' },
      IntegrationResponses: [{ StatusCode: "200" }],
      ...Integration,
    },
    MethodResponses,
  });
}

const responding = (text: string) => ({
  IntegrationResponses: [{ StatusCode: "200", ResponseTemplates: { "application/json": text } }],
});

describe("the status of the request template", () => {
  const IntegrationResponses = [
    { StatusCode: "200" },
    {
      StatusCode: "404",
      SelectionPattern: "4\\d",
      ResponseParameters: { "method.response.header.X-Kind": "'too short a pattern'" },
    },
    {
      StatusCode: "404",
      SelectionPattern: "4\\d{2}",
      ResponseParameters: { "method.response.header.X-Kind": "'missing'" },
    },
  ];

  it.each([
    ['{"statusCode": 200}', 200],
    ["{ statusCode: 204 }", 200],
    ["{'statusCode':500, 'a': 1}", 200],
    ['{"a": {"b": 1}, "statusCode": 404}', 404],
    ["\n{\n  statusCode : 410\n}\n", 404],
    ["#if($context.httpMethod == 'POST'){statusCode: 404}#else{statusCode: 200}#end", 404],
  ])("reads the status from %j and selects the response %d", async (text, status) => {
    const { send } = gateway(mock({ RequestTemplates: { "application/json": text }, IntegrationResponses }));
    const answer = readable(await send("POST /pets/7"));
    expect(answer).toMatchObject({ status, body: "" });
    expect(answer.headers["X-Kind"]).toBe(status === 404 ? "missing" : undefined);
    expect(answer.headers).not.toHaveProperty("X-Amzn-Trace-Id");
  });

  it.each(['{"statusCode": "200"}', "{}", "statusCode: 200", '{"noStatusCode": 200}', ""])(
    "answers with a 500 if the mapped request %j contains no status",
    async (text) => {
      const { send, reports } = gateway(mock({ RequestTemplates: { "application/json": text } }));
      expect(readable(await send("POST /pets/7"))).toMatchObject({
        status: 500,
        body: '{"message": "Internal server error"}',
      });
      expect(reports).toStrictEqual(["POST /pets/{id}: the mapped request of the mock has no statusCode"]);
    },
  );

  it("answers with a 500 if no response matches", async () => {
    const { send, reports } = gateway(
      mock({ IntegrationResponses: [{ StatusCode: "404", SelectionPattern: "404" }] }),
    );
    expect(await send("POST /pets/7")).toMatchObject({ status: 500 });
    expect(reports).toStrictEqual(["POST /pets/{id}: no integration response for status 200"]);
  });
});

describe("PassthroughBehavior", () => {
  it.each([
    ["WHEN_NO_MATCH", "text/plain", 200],
    ["WHEN_NO_TEMPLATES", "text/plain", 415],
    ["NEVER", "text/plain", 415],
    ["NEVER", "Application/JSON; charset=utf-8", 200],
    ["NEVER", undefined, 200],
  ])(
    "handles with PassthroughBehavior %s a body of type %s with a %d",
    async (PassthroughBehavior, type, status) => {
      const { send } = gateway(mock({ PassthroughBehavior }));
      const answer = await send("POST /pets/7", {
        body: Buffer.from("{statusCode: 200}"),
        headers: type ? [["Content-Type", type]] : [],
      });
      expect(answer.status).toBe(status);
    },
  );

  it.each([
    ["NEVER", 415],
    ["WHEN_NO_TEMPLATES", 200],
  ])("follows PassthroughBehavior %s with a %d without templates", async (PassthroughBehavior, status) => {
    const { send } = gateway(mock({ PassthroughBehavior, RequestTemplates: {} }));
    expect(await send("POST /pets/7", { body: Buffer.from("{statusCode: 200}") })).toMatchObject({ status });
  });

  it("accepts a request without a body under NEVER if CDK synthesized the mock", async () => {
    const { send } = gateway([], {}, synthesized("mock"));
    expect(readable(await send("GET /"))).toMatchObject({ status: 200, body: "{}" });
  });
});

describe("a response template", () => {
  it.each([
    ['{"id":"$context.requestId"}', `{"id":"${ids["x-amzn-RequestId"]}"}`],
    ["$input.params('id')|$input.params('q')|$input.params('X-Tag')|$input.params('none')", "7|a b|t|"],
    ["$input.params('constructor')|$input.params().path.get('constructor')", "|"],
    ["$input.params().path.get('id')|$input.params().querystring.get('q')", "7|a b"],
    ["#set($who = 'Zoë')#if($who.matches('Z.'))short#elseif($who.matches('Z..'))long#else other#end", "long"],
    ['#set($who = "<$context.stage>")$who', "<v1>"],
    ["## a note\nleft", "left"],
  ])("renders the response template %s as %j", async (text, body) => {
    const { send } = gateway(mock(responding(text)));
    const answer = await send("POST /pets/7?q=a%20b", { headers: [["X-Tag", "t"]] });
    expect(readable(answer)).toMatchObject({ status: 200, body });
  });

  it.each([
    [404, 404],
    ['"404"', 200],
    [99, 200],
    [600, 200],
  ])("overrides the status with %s, which results in a %d", async (override, status) => {
    const { send } = gateway(mock(responding(`#set($context.responseOverride.status = ${override})`)));
    expect(await send("POST /pets/7")).toMatchObject({ status });
  });

  it("overrides headers in any case but adds none through a value", async () => {
    const text =
      "#set($context.responseOverride.header.content-type = 'text/plain')" +
      "#set($context.responseOverride.header.X-Q = $input.params('q'))";
    const { send } = gateway(mock(responding(text)));
    expect(readable(await send("POST /pets/7?q=a%0d%0aSet-Cookie:%20stolen")).headers).toStrictEqual({
      "content-type": "text/plain",
      ...ids,
    });
  });

  it.each([
    "$util.urlEncode('a')",
    "$input.body",
    "$input.json('$')",
    "$input.params().header",
    "$input.params().header.Origin",
    "$context.authorizer.userId",
    "$context.identity.userArn",
    "$context.requestOverride.header.X",
    "$stageVariables.colour",
    "$unset",
    "#set($a = 'b')$a.length()",
    '#set($a = "$util.x")',
    "$input.params($unset)",
    "#set($a = [1])",
    "#foreach($a in $context.stage)$a#end",
    "#macro(a)b#end",
    "#evaluate('a')",
    "#if(",
  ])("refuses a response template with %s", (text) => {
    expect(() => gateway(mock(responding(text)))).toThrow(
      /^POST \/pets\/{id} \(AWS::ApiGateway::Method\) has/,
    );
    expect(() => gateway(mock({ RequestTemplates: { "application/json": text } }))).toThrow(/not emulated/);
  });
});

describe("a mock integration", () => {
  it.each<[string, Record<string, unknown>, unknown]>([
    ["a response with an undeclared status", {}, []],
    [
      "an undeclared header",
      {
        IntegrationResponses: [
          { StatusCode: "200", ResponseParameters: { "method.response.header.X": "'x'" } },
        ],
      },
      [{ StatusCode: "200" }],
    ],
    [
      "a header from the integration",
      {
        IntegrationResponses: [
          {
            StatusCode: "200",
            ResponseParameters: { "method.response.header.X-Kind": "integration.response.header.X" },
          },
        ],
      },
      undefined,
    ],
  ])("refuses a mock integration with %s", (_, integration, methodResponses) => {
    expect(() => gateway(mock(integration, methodResponses))).toThrow(/^POST \/pets\/{id} .* not emulated/);
  });
});
