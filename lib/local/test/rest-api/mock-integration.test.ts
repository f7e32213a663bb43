import { Duration } from "aws-cdk-lib";
import { MockIntegration, PassthroughBehavior, type RestApiProps } from "aws-cdk-lib/aws-apigateway";
import { describe, expect, test } from "vitest";
import type { Pair } from "../../src/http/messages.ts";
import { synthesize } from "./cdk.ts";
import { gateway, readable, route } from "./fixture.ts";

const ids = {
  "x-amzn-RequestId": "00112233-4455-6677-8899-aabbccddeeff",
  "x-amz-apigw-id": "ABEiM0RVZneImao=",
};

describe("the preflight that CDK makes", () => {
  const preflight = {
    allowCredentials: true,
    allowHeaders: ["Authorization", "Content-Type"],
    allowMethods: ["GET", "POST"],
    maxAge: Duration.hours(1),
  };

  function cors(...allowOrigins: string[]) {
    const props: RestApiProps = { defaultCorsPreflightOptions: { ...preflight, allowOrigins } };
    return gateway(
      [],
      {},
      synthesize(props, (api) => api.root.addResource("pets").addResource("{id}")),
    );
  }
  const ofOne = cors("https://a.example");
  const ofSeveral = cors("https://a.example", "https://b.example", "http://localhost:5173");

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

  test.each(["/", "/pets", "/pets/7"])("for one origin, at %s", async (path) => {
    const { send, events } = ofOne;
    const asked: Pair[] = [["Origin", "https://evil.example"]];
    expect(readable(await send(`OPTIONS ${path}`, { headers: asked }))).toStrictEqual({
      ...answer("https://a.example"),
      body: "",
    });
    expect(events).toStrictEqual([]);
  });

  test.each<[headers: Pair[], origin: string]>([
    [[["Origin", "https://a.example"]], "https://a.example"],
    [[["Origin", "https://b.example"]], "https://b.example"],
    [[["origin", "http://localhost:5173"]], "http://localhost:5173"],
    [[["Origin", "https://b.example.evil"]], "https://a.example"],
    [[["Origin", "https://B.example"]], "https://a.example"],
    [[["ORIGIN", "https://b.example"]], "https://a.example"],
    [[["Origin", "$context"]], "https://a.example"],
    [[["Origin", ""]], "https://a.example"],
    [[], "https://a.example"],
  ])("for several origins, asked with %j", async (headers, origin) => {
    expect(readable(await ofSeveral.send("OPTIONS /pets", { headers }))).toMatchObject(answer(origin));
  });

  test("leaves no trace of one request in the next", async () => {
    const { send } = ofSeveral;
    await send("OPTIONS /pets", { headers: [["Origin", "https://b.example"]] });
    expect(readable(await send("OPTIONS /pets"))).toMatchObject(answer("https://a.example"));
  });
});

/** A mock whose request template and responses are those. */
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

describe("the status that the request template tells", () => {
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

  test.each([
    ['{"statusCode": 200}', 200],
    ["{ statusCode: 204 }", 200],
    ["{'statusCode':500, 'a': 1}", 200],
    ['{"a": {"b": 1}, "statusCode": 404}', 404],
    ["\n{\n  statusCode : 410\n}\n", 404],
    ["#if($context.httpMethod == 'POST'){statusCode: 404}#else{statusCode: 200}#end", 404],
  ])("%j chooses the response %d", async (text, status) => {
    const { send } = gateway(mock({ RequestTemplates: { "application/json": text }, IntegrationResponses }));
    const answer = readable(await send("POST /pets/7"));
    expect(answer).toMatchObject({ status, body: "" });
    expect(answer.headers["X-Kind"]).toBe(status === 404 ? "missing" : undefined);
    expect(answer.headers).not.toHaveProperty("X-Amzn-Trace-Id");
  });

  test.each(['{"statusCode": "200"}', "{}", "statusCode: 200", '{"noStatusCode": 200}', ""])(
    "%j is none: 500",
    async (text) => {
      const { send, reports } = gateway(mock({ RequestTemplates: { "application/json": text } }));
      expect(readable(await send("POST /pets/7"))).toMatchObject({
        status: 500,
        body: '{"message": "Internal server error"}',
      });
      expect(reports).toStrictEqual(["POST /pets/{id}: the mapped request of the mock has no statusCode"]);
    },
  );

  test("that no response is for is a 500", async () => {
    const { send, reports } = gateway(
      mock({ IntegrationResponses: [{ StatusCode: "404", SelectionPattern: "404" }] }),
    );
    expect(await send("POST /pets/7")).toMatchObject({ status: 500 });
    expect(reports).toStrictEqual(["POST /pets/{id}: no integration response for status 200"]);
  });
});

test.each([
  ["WHEN_NO_MATCH", "text/plain", 200],
  ["WHEN_NO_TEMPLATES", "text/plain", 415],
  ["NEVER", "text/plain", 415],
  ["NEVER", "Application/JSON; charset=utf-8", 200],
  ["NEVER", undefined, 200],
])("PassthroughBehavior %s with the type %s is %d", async (PassthroughBehavior, type, status) => {
  const { send } = gateway(mock({ PassthroughBehavior }));
  const answer = await send("POST /pets/7", {
    body: Buffer.from("{statusCode: 200}"),
    headers: type ? [["Content-Type", type]] : [],
  });
  expect(answer.status).toBe(status);
});

test.each([
  ["NEVER", 415],
  ["WHEN_NO_TEMPLATES", 200],
])("PassthroughBehavior %s without templates is %d", async (PassthroughBehavior, status) => {
  const { send } = gateway(mock({ PassthroughBehavior, RequestTemplates: {} }));
  expect(await send("POST /pets/7", { body: Buffer.from("{statusCode: 200}") })).toMatchObject({ status });
});

describe("a response template", () => {
  test.each([
    ['{"id":"$context.requestId"}', `{"id":"${ids["x-amzn-RequestId"]}"}`],
    ["$input.params('id')|$input.params('q')|$input.params('X-Tag')|$input.params('none')", "7|a b|t|"],
    ["$input.params('constructor')|$input.params().path.get('constructor')", "|"],
    ["$input.params().path.get('id')|$input.params().querystring.get('q')", "7|a b"],
    ["#set($who = 'Zoë')#if($who.matches('Z.'))short#elseif($who.matches('Z..'))long#else other#end", "long"],
    ['#set($who = "<$context.stage>")$who', "<v1>"],
    ["## a note\nleft", "left"],
  ])("%s", async (text, body) => {
    const { send } = gateway(mock(responding(text)));
    const answer = await send("POST /pets/7?q=a%20b", { headers: [["X-Tag", "t"]] });
    expect(readable(answer)).toMatchObject({ status: 200, body });
  });

  test.each([
    [404, 404],
    ['"404"', 200],
    [99, 200],
    [600, 200],
  ])("overrides the status with %s: %d", async (override, status) => {
    const { send } = gateway(mock(responding(`#set($context.responseOverride.status = ${override})`)));
    expect(await send("POST /pets/7")).toMatchObject({ status });
  });

  test("overrides a header whatever its case, but never adds a second one", async () => {
    const text =
      "#set($context.responseOverride.header.content-type = 'text/plain')" +
      "#set($context.responseOverride.header.X-Q = $input.params('q'))";
    const { send } = gateway(mock(responding(text)));
    expect(readable(await send("POST /pets/7?q=a%0d%0aSet-Cookie:%20stolen")).headers).toStrictEqual({
      "content-type": "text/plain",
      ...ids,
    });
  });

  test.each([
    "$util.urlEncode('a')",
    "$input.body",
    "$input.json('$')",
    "$input.params().header",
    "$input.params().header.Origin",
    "$context.authorizer.userID",
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
  ])("with %s is refused", (text) => {
    expect(() => gateway(mock(responding(text)))).toThrow(
      /^POST \/pets\/{id} \(AWS::ApiGateway::Method\) has/,
    );
    expect(() => gateway(mock({ RequestTemplates: { "application/json": text } }))).toThrow(/not emulated/);
  });
});

test("a CDK mock with a passthrough of its own", async () => {
  const { send } = gateway(
    [],
    {},
    synthesize({}, (api) =>
      api.root.addMethod(
        "GET",
        new MockIntegration({
          passthroughBehavior: PassthroughBehavior.NEVER,
          requestTemplates: { "application/json": '{"statusCode": 200}' },
          integrationResponses: [{ statusCode: "200", responseTemplates: { "application/json": "{}" } }],
        }),
        { methodResponses: [{ statusCode: "200" }] },
      ),
    ),
  );
  expect(readable(await send("GET /"))).toMatchObject({ status: 200, body: "{}" });
});

test.each<[string, Record<string, unknown>, unknown]>([
  ["a response whose status is not declared", {}, []],
  [
    "a header that is not declared",
    {
      IntegrationResponses: [
        { StatusCode: "200", ResponseParameters: { "method.response.header.X": "'x'" } },
      ],
    },
    [{ StatusCode: "200" }],
  ],
  [
    "a header that is taken from the integration",
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
])("%s is refused", (_, integration, methodResponses) => {
  expect(() => gateway(mock(integration, methodResponses))).toThrow(/^POST \/pets\/{id} .* not emulated/);
});
