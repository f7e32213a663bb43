import { describe, expect, test } from "vitest";
import { noUsage, type Usage, type UsagePlan } from "../../src/usage-plans/model.ts";
import { readDefinition } from "../../src/websocket-api/definition.ts";
import { allow, api, guarded, stage } from "./fixture.ts";
import { join, refusal, serve } from "./stream.ts";

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

const value = "a-value-that-is-never-told";
const made = { from: "program", createdDate: 0, tags: {} } as const;
const key = { ...made, id: "key", value, enabled: true, lastUpdatedDate: 0, stageKeys: [] };

function usageOf(limits: Pick<UsagePlan, "throttle" | "quota">): Usage {
  const apiStages = [{ apiId: "Api", stage: "live" }];
  return {
    apiKeys: [key],
    usagePlans: [{ ...made, ...limits, id: "plan", name: "plan", apiStages }],
    planKeys: [{ from: "program", usagePlanId: "plan", keyId: "key" }],
  };
}

let time = Date.parse("2026-11-21T09:14:00.000Z");

/** An API whose authorizer names that key. The clock stands still. */
const serveWith = (usage: Usage, usageIdentifierKey?: string) =>
  serve(
    needingKey,
    { authorize: { ...allow(), usageIdentifierKey } },
    { usage, as: planned, now: () => new Date(time) },
  );

const told = (message: string) => ({
  message,
  connectionId: expect.anything(),
  requestId: expect.anything(),
});

describe("a connection that takes an API key", () => {
  test("is counted by the key's plan, refused beyond it, and let in again later", async () => {
    const { url, events } = await serveWith(usageOf({ throttle: { rateLimit: 0.5, burstLimit: 2 } }), value);
    await join(url);
    await join(url);
    expect(await refusal(url)).toMatchObject({ status: 429, body: told("Too Many Requests") });
    expect(events.connect).toHaveLength(2);
    time += 2000;
    await join(url);
  });

  test("is refused when the quota is used up", async () => {
    const quota = { limit: 1, offset: 0, period: "DAY" } as const;
    const { url } = await serveWith(usageOf({ quota }), value);
    await join(url);
    expect(await refusal(url)).toMatchObject({ status: 429, body: told("Limit Exceeded") });
  });

  test.each([
    ["no key", undefined],
    ["a key that there is not", "another-value"],
  ])("is refused with %s, whatever the client shows", async (_, named) => {
    const { url, events, reports } = await serveWith(usageOf({}), named);
    const answer = await refusal(url, { headers: { "x-api-key": value } });
    expect(answer).toMatchObject({ status: 403, body: told("Forbidden") });
    expect(events.connect).toBeUndefined();
    expect(reports).toEqual([expect.stringMatching(/^\$connect: the caller.* API key/)]);
    expect(reports.join()).not.toContain("value");
  });

  test("is refused with a key that is in no plan of the stage", async () => {
    const { url } = await serveWith({ ...noUsage, apiKeys: [key] }, value);
    expect(await refusal(url)).toMatchObject({ status: 403, body: told("Forbidden") });
  });
});

test("a key that would come from the client is not emulated", () => {
  expect(() => readDefinition(api, [stage, ...needingKey])).toThrow(
    '$connect (AWS::ApiGatewayV2::Route) has something that is not emulated: ApiKeyRequired with a key of "$request.header.x-api-key"',
  );
});
