import { beforeEach, describe, expect, it } from "vitest";
import type { ResolvedResource } from "../../src/cloudformation/resource.ts";
import {
  api,
  callers,
  deployment,
  functionArn,
  gateway,
  guarded,
  readable,
  resource,
  route,
  stage,
} from "./fixture.ts";

const secrets: Record<string, string> = {
  alice: "alice1234567890123456",
  bob: "bob123456789012345678",
  carol: "carol1234567890123456",
};

const usageResource = (type: string, logicalId: string, properties: Record<string, unknown>) => ({
  logicalId,
  type: `AWS::ApiGateway::${type}`,
  properties,
});

/** Alice and Bob are in a plan of three requests a minute. The stage throttles POST for all callers together. */
const resources: ResolvedResource[] = [
  deployment,
  callers,
  {
    ...stage,
    properties: {
      ...stage.properties,
      MethodSettings: [
        { HttpMethod: "POST", ResourcePath: "/~1pets", ThrottlingRateLimit: 0, ThrottlingBurstLimit: 1 },
      ],
    },
  },
  ...["GET", "POST"].flatMap((method) =>
    route(`${method} /pets`, {
      AuthorizationType: "CUSTOM",
      AuthorizerId: "Authorizer",
      ApiKeyRequired: true,
    }),
  ),
  ...route("PUT /pets", { ApiKeyRequired: true }),
  ...guarded("DELETE /pets"),
  resource("GatewayResponse", "Throttled", {
    ResponseType: "THROTTLED",
    ResponseParameters: { "gatewayresponse.header.Retry-After": "'60'" },
    ResponseTemplates: { "application/json": '{"error":"Too many requests"}' },
  }),
  usageResource("UsagePlan", "Plan", {
    ApiStages: [{ ApiId: "Api", Stage: "v1" }],
    Throttle: { RateLimit: 3 / 60, BurstLimit: 3 },
  }),
  ...Object.entries(secrets).map(([name, Value]) => usageResource("ApiKey", name, { Value, Enabled: true })),
  ...["alice", "bob"].map((KeyId) =>
    usageResource("UsagePlanKey", `${KeyId}InPlan`, { KeyId, KeyType: "API_KEY", UsagePlanId: "Plan" }),
  ),
];

let invoked: ("authorizer" | "function")[];
let identities: unknown[];
let now: number;
let served: ReturnType<typeof gateway>;

beforeEach(() => {
  invoked = [];
  identities = [];
  now = Date.UTC(2026, 10, 21, 9, 14);
  served = gateway(
    [],
    {},
    {
      api: { ...api, properties: { ...api.properties, ApiKeySourceType: "AUTHORIZER" } },
      resources,
      now: () => new Date(now),
      async invoke(arn, event) {
        const { headers, requestContext } = event as {
          headers: Record<string, string>;
          requestContext: { identity: unknown };
        };
        identities.push(requestContext.identity);
        invoked.push(arn === functionArn ? "function" : "authorizer");
        if (arn === functionArn) return { payload: JSON.stringify({ statusCode: 200 }) };
        const policyDocument = {
          Statement: [{ Action: "*", Effect: headers.user === "mallory" ? "Deny" : "Allow", Resource: "*" }],
        };
        const usageIdentifierKey = secrets[headers.user ?? ""];
        return { payload: JSON.stringify({ principalId: "p", policyDocument, usageIdentifierKey }) };
      },
    },
  );
});

const call = async (line: string, headers: Record<string, string>) =>
  readable(await served.send(line, { headers: [["Host", "127.0.0.1:3000"], ...Object.entries(headers)] }));
const status = async (line: string, user: string) => (await call(line, { user })).status;

describe("an API key from the authorizer", () => {
  it("passes the API key and its id to the function", async () => {
    expect(await status("GET /pets", "alice")).toBe(200);
    const [ofAuthorizer, ofFunction] = identities;
    expect(ofAuthorizer).not.toHaveProperty("apiKey");
    expect(ofFunction).toMatchObject({ apiKey: secrets.alice, apiKeyId: "alice" });
  });

  it("throttles a key by its plan: the caller gets the template's 429, and no function runs", async () => {
    for (let times = 0; times < 3; times++) expect(await status("GET /pets", "alice")).toBe(200);
    const refused = await call("GET /pets", { user: "alice" });
    expect(refused).toMatchObject({
      status: 429,
      headers: { "Retry-After": "60", "x-amzn-ErrorType": "TooManyRequestsException" },
      body: '{"error":"Too many requests"}',
    });
    expect(refused.headers).not.toHaveProperty("X-Amzn-Trace-Id");
    expect(invoked.slice(-2)).toEqual(["function", "authorizer"]);
    expect(await status("GET /pets", "bob")).toBe(200);
    now += 20_000;
    expect(await status("GET /pets", "alice")).toBe(200);
  });

  it("throttles a key by the stage without taking a token from its plan", async () => {
    expect(await status("POST /pets", "bob")).toBe(200);
    for (let times = 0; times < 5; times++) expect(await status("POST /pets", "alice")).toBe(429);
    for (let times = 0; times < 3; times++) expect(await status("GET /pets", "alice")).toBe(200);
  });

  it.each([
    ["without a plan", "GET /pets", { user: "carol" }, "the API key carol is in no usage plan of Api:v1"],
    ["missing", "GET /pets", { user: "nobody" }, "the caller has no API key"],
    [
      "in a header",
      "GET /pets",
      { user: "nobody", "x-api-key": secrets.alice ?? "" },
      "the caller has no API key",
    ],
    [
      "required by a method without authorizer",
      "PUT /pets",
      { "x-api-key": secrets.alice ?? "" },
      "the caller has no API key",
    ],
  ])("answers with a 403 if the API key is %s", async (_, line, headers, reason) => {
    expect(await call(line, headers as Record<string, string>)).toMatchObject({
      status: 403,
      headers: { "x-amzn-ErrorType": "ForbiddenException" },
      body: '{"message":"Forbidden"}',
    });
    expect(invoked).not.toContain("function");
    expect(served.reports).toEqual([`${line}: ${reason}`]);
  });

  it("ignores the key if the method requires none", async () => {
    for (let times = 0; times < 5; times++) expect(await status("DELETE /pets", "alice")).toBe(200);
    expect(identities.at(-1)).not.toHaveProperty("apiKey");
  });

  it("checks the key after the authorizer's policy", async () => {
    const { body } = await call("GET /pets", { user: "mallory" });
    expect(body).toContain("explicit deny");
  });
});
