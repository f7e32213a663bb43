import { describe, expect, it } from "vitest";
import { noUsage, type Usage } from "../../src/usage-plans/model.ts";
import { readDefinition } from "../../src/websocket-api/definition.ts";
import { allow, api, guarded, route, stage, talking } from "./fixture.ts";
import { eventually, join, refusal, serve } from "./stream.ts";

const planned = {
  ...api,
  properties: {
    ...api.properties,
    ApiKeySelectionExpression: "$context.authorizer.usageIdentifierKey",
  },
};
const needingKey = guarded().map((resource) =>
  resource.type.endsWith("::Route")
    ? { ...resource, properties: { ...resource.properties, ApiKeyRequired: true } }
    : resource,
);

const value = "a-value-that-appears-nowhere";
const from = "program" as const;
const usage: Usage = {
  apiKeys: [{ from, id: "key", value, enabled: true, createdDate: 0 }],
  usagePlans: [
    {
      from,
      id: "plan",
      name: "plan",
      apiStages: [{ apiId: "Api", stage: "live" }],
      throttle: { rateLimit: 0.5, burstLimit: 2 },
    },
  ],
  planKeys: [{ from, usagePlanId: "plan", keyId: "key" }],
};

let time = Date.parse("2026-11-21T09:14:00.000Z");

/** Serves an API whose authorizer returns this key, with a manual clock. */
const serveWith = (known: Usage, usageIdentifierKey?: string) =>
  serve(
    needingKey,
    { authorize: { ...allow(), usageIdentifierKey } },
    { usage: known, as: planned, now: () => new Date(time) },
  );

const bodyWith = (message: string) => ({
  message,
  connectionId: expect.anything(),
  requestId: expect.anything(),
});

describe("a connection that requires an API key", () => {
  it("counts a connection against its key's plan", async () => {
    const { url, events } = await serveWith(usage, value);
    await join(url);
    await join(url);
    expect(await refusal(url)).toMatchObject({ status: 429, body: bodyWith("Too Many Requests") });
    expect(events.connect).toHaveLength(2);
    time += 2000;
    await join(url);
  });

  it.each([
    ["no key", usage, undefined],
    ["an unknown key", noUsage, value],
  ])(
    "refuses a connection if the authorizer returns %s, regardless of the client's headers",
    async (_, known, returned) => {
      const { url, events, reports } = await serveWith(known, returned);
      const answer = await refusal(url, { headers: { "x-api-key": value } });
      expect(answer).toMatchObject({ status: 403, body: bodyWith("Forbidden") });
      expect(events.connect).toBeUndefined();
      expect(reports).toEqual([expect.stringMatching(/^\$connect: the caller.* API key/)]);
      expect(reports.join()).not.toContain(value);
    },
  );

  it("stops the runner if the API key comes from the client", () => {
    expect(() => readDefinition(api, [stage, ...needingKey])).toThrow(
      '$connect (AWS::ApiGatewayV2::Route) has something that is not emulated: ApiKeyRequired with a key of "$request.header.x-api-key"',
    );
  });
});

describe("a route with a throttle", () => {
  const throttled = (key: string) => ({
    now: () => new Date(time),
    settings: { RouteSettings: { [key]: { ThrottlingRateLimit: 0.5, ThrottlingBurstLimit: 2 } } },
  });

  it("limits the messages of all connections together, and no other route", async () => {
    const resources = [...talking("ping"), ...talking("pong")];
    const answers = { ping: { statusCode: 200, body: "done" }, pong: { statusCode: 200, body: "pong" } };
    const { url, events } = await serve(resources, answers, throttled("ping"));
    const [first, second] = [await join(url), await join(url)];
    first.say({ type: "ping" });
    second.say({ type: "ping" });
    await eventually(() => [first.messages, second.messages]).toEqual([["done"], ["done"]]);
    second.say({ type: "ping" });
    await eventually(() => second.messages).toHaveLength(2);
    expect(JSON.parse(second.messages[1] ?? "")).toEqual(bodyWith("Too Many Requests"));
    expect(events.ping).toHaveLength(2);
    second.say({ type: "pong" });
    await eventually(() => second.messages).toHaveLength(3);
    time += 2000;
    first.say({ type: "ping" });
    await eventually(() => events.ping).toHaveLength(3);
  });

  it("refuses further connections with 429 if $connect is throttled", async () => {
    const { url } = await serve(route("$connect"), { connect: { statusCode: 200 } }, throttled("$connect"));
    await join(url);
    await join(url);
    expect(await refusal(url)).toMatchObject({ status: 429, body: bodyWith("Too Many Requests") });
  });
});
