import { Duration } from "aws-cdk-lib";
import {
  ApiKeySourceType,
  AuthorizationType,
  LambdaIntegration,
  RequestAuthorizer,
  ResponseType,
  type RestApi,
} from "aws-cdk-lib/aws-apigateway";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { beforeEach, describe, expect, test } from "vitest";
import type { GatewayRequest } from "../../src/http/messages.ts";
import type { proxyEvent } from "../../src/rest-api/proxy-integration.ts";
import { createRestApi, type RestApi as EmulatedApi } from "../../src/rest-api/rest-api.ts";
import { synthesize } from "./cdk.ts";
import { readable, usageOf } from "./fixture.ts";

const secrets: Record<string, string> = {
  alice: "alice1234567890123456",
  bob: "bob123456789012345678",
  carol: "carol1234567890123456",
};

/** A plan with three a minute for each key, and with one a minute of `POST /pets`. */
function build(restApi: RestApi, handler: IFunction) {
  const authorizer = new RequestAuthorizer(restApi, "Callers", {
    handler,
    identitySources: [],
    resultsCacheTtl: Duration.seconds(0),
  });
  const options = { authorizer, authorizationType: AuthorizationType.CUSTOM, apiKeyRequired: true };
  const integration = new LambdaIntegration(handler);
  const pets = restApi.root.addResource("pets");
  pets.addMethod("GET", integration, options);
  const post = pets.addMethod("POST", integration, options);
  restApi.root.addResource("health").addMethod("GET", integration);
  restApi.root.addMethod("ANY", integration, { apiKeyRequired: true });

  const plan = restApi.addUsagePlan("Plan", {
    throttle: { rateLimit: 3 / 60, burstLimit: 3 },
    apiStages: [
      {
        stage: restApi.deploymentStage,
        throttle: [{ method: post, throttle: { rateLimit: 1 / 60, burstLimit: 1 } }],
      },
    ],
  });
  for (const user of ["alice", "bob"]) {
    plan.addApiKey(restApi.addApiKey(user, { value: secrets[user] ?? "" }));
  }
  restApi.addApiKey("carol", { value: secrets.carol ?? "" });
  restApi.addGatewayResponse("Throttled", {
    type: ResponseType.THROTTLED,
    responseHeaders: { "Retry-After": "'60'" },
    templates: { "application/json": '{"error":"Too many requests"}' },
  });
}

const synthesized = {
  AUTHORIZER: synthesize({ apiKeySourceType: ApiKeySourceType.AUTHORIZER }, build),
  HEADER: synthesize({ deployOptions: { throttlingRateLimit: 1, throttlingBurstLimit: 4 } }, build),
};

let api: EmulatedApi;
let invoked: ("authorizer" | "function")[];
let events: Pick<ReturnType<typeof proxyEvent>, "requestContext">[];
let reports: string[];
let now: number;

/** The API anew. The authorizer lets in whoever has a name, with the key of that name. */
function open(source: keyof typeof synthesized) {
  const { resources } = synthesized[source];
  invoked = [];
  events = [];
  reports = [];
  now = Date.UTC(2026, 10, 21, 9, 14);
  api = createRestApi({
    ...synthesized[source],
    usagePlans: usageOf(resources, () => now).plans,
    now: () => new Date(now),
    mayInvoke: () => true,
    report: (line) => reports.push(line),
    async invoke(_, event) {
      events.push(event as (typeof events)[number]);
      const { methodArn, headers } = event as { methodArn?: string; headers: Record<string, string> };
      invoked.push(methodArn === undefined ? "function" : "authorizer");
      if (methodArn === undefined) return { payload: JSON.stringify({ statusCode: 200 }) };
      const Effect = headers.user === "mallory" ? "Deny" : "Allow";
      const policyDocument = { Statement: [{ Action: "*", Effect, Resource: methodArn }] };
      const usageIdentifierKey = secrets[headers.user ?? ""];
      return { payload: JSON.stringify({ principalId: "p", policyDocument, usageIdentifierKey }) };
    },
  });
}

async function call(line: string, headers: Record<string, string> = {}) {
  const [method = "", target = ""] = line.split(" ");
  const pairs: GatewayRequest["headers"] = [["Host", "127.0.0.1:3000"], ...Object.entries(headers)];
  const body = Buffer.alloc(0);
  return readable(await api.handle({ method, target, headers: pairs, body, sourceIp: "127.0.0.1" }));
}

const status = async (line: string, user: string) => (await call(line, { user })).status;

async function statuses(times: number, line: string, user: string): Promise<number[]> {
  const answers = [];
  for (let count = 0; count < times; count++) answers.push(await status(line, user));
  return answers;
}

describe("a key from the authorizer", () => {
  beforeEach(() => open("AUTHORIZER"));

  test("reaches the function with its id, and neither reaches the authorizer", async () => {
    expect(await status("GET /pets", "alice")).toBe(200);
    const [authorizerEvent, functionEvent] = events;
    expect(authorizerEvent?.requestContext.identity).not.toHaveProperty("apiKey");
    expect(functionEvent?.requestContext.identity).toMatchObject({
      apiKey: secrets.alice,
      apiKeyId: expect.stringMatching(/^Apialice/),
    });
  });

  test("is throttled by its plan: 429 as the template has it, and no function runs", async () => {
    expect(await statuses(4, "GET /pets", "alice")).toEqual([200, 200, 200, 429]);
    const refused = await call("GET /pets", { user: "alice" });
    expect(refused).toMatchObject({
      status: 429,
      headers: { "Retry-After": "60", "x-amzn-ErrorType": "TooManyRequestsException" },
      body: '{"error":"Too many requests"}',
    });
    expect(refused.headers).not.toHaveProperty("X-Amzn-Trace-Id");
    // The authorizer is asked first: only it knows whose key it is.
    expect(invoked.slice(-3)).toEqual(["function", "authorizer", "authorizer"]);
  });

  test("is throttled alone", async () => {
    expect(await statuses(4, "GET /pets", "alice")).toEqual([200, 200, 200, 429]);
    expect(await statuses(4, "GET /pets", "bob")).toEqual([200, 200, 200, 429]);
    now += 20_000;
    expect(await statuses(2, "GET /pets", "alice")).toEqual([200, 429]);
  });

  test("is throttled for a method by itself", async () => {
    expect(await statuses(2, "POST /pets", "alice")).toEqual([200, 429]);
    expect(await statuses(3, "GET /pets", "alice")).toEqual([200, 200, 429]);
  });

  test.each([
    ["in no plan", "carol", /^GET \/pets: the API key Apicarol\w+ is in no usage plan of Api\w+:prod$/],
    ["that there is not", "nobody", /^GET \/pets: the caller has no API key$/],
  ])("%s is a 403", async (_, user, reason) => {
    expect(await call("GET /pets", { user })).toMatchObject({
      status: 403,
      headers: { "x-amzn-ErrorType": "ForbiddenException" },
      body: '{"message":"Forbidden"}',
    });
    expect(invoked).toEqual(["authorizer"]);
    expect(reports).toEqual([expect.stringMatching(reason)]);
  });

  test("in the header counts for nothing, nor does a method without authorizer have one", async () => {
    expect(await call("GET /pets", { user: "nobody", "x-api-key": secrets.alice ?? "" })).toMatchObject({
      status: 403,
    });
    expect(await call("GET /", { "x-api-key": secrets.alice ?? "" })).toMatchObject({ status: 403 });
  });

  test("is looked at only for who is let in", async () => {
    const { body } = await call("GET /pets", { user: "mallory" });
    expect(body).toContain("explicit deny");
  });
});

describe("a key from the header", () => {
  beforeEach(() => open("HEADER"));
  const withKey = (user: string, line = "GET /pets") => call(line, { "X-Api-Key": secrets[user] ?? user });

  test("is known before the authorizer runs", async () => {
    expect(await withKey("bob")).toMatchObject({ status: 200 });
    expect(invoked).toEqual(["authorizer", "function"]);
    for (const { requestContext } of events) {
      expect(requestContext.identity).toMatchObject({
        apiKey: secrets.bob,
        apiKeyId: expect.stringMatching(/^Apibob/),
      });
    }
  });

  test("is taken from there alone", async () => {
    expect(await call("GET /pets", { user: "alice" })).toMatchObject({ status: 403 });
    expect(await withKey("wrong")).toMatchObject({ status: 403, body: '{"message":"Forbidden"}' });
    expect(await withKey("alice", "PUT /")).toMatchObject({ status: 200 });
  });

  test("is not asked for where none is required, and then tells nobody", async () => {
    expect(await withKey("alice", "GET /health")).toMatchObject({ status: 200 });
    expect(events[0]?.requestContext.identity).not.toHaveProperty("apiKey");
    expect((await call("GET /health")).status).toBe(200);
  });

  test("may have room in its plan and none in the stage, whose throttle is of each method", async () => {
    for (const user of ["alice", "alice", "bob", "bob"]) expect((await withKey(user)).status).toBe(200);
    const refused = await withKey("bob");
    expect(refused).toMatchObject({ status: 429, headers: { "Retry-After": "60" } });
    const health = [];
    for (let times = 0; times < 5; times++) health.push((await call("GET /health")).status);
    expect(health).toEqual([200, 200, 200, 200, 429]);
    now += 1_000;
    // It has cost Bob nothing of his own three.
    expect((await withKey("bob")).status).toBe(200);
  });
});
