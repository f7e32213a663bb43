import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Operation } from "../../lib/operation-types.ts";
import { operations } from "../../lib/operations.ts";
import { functionsOf, logicalIdOf, only, propertiesOf, synthesize } from "./synthesized.ts";

const priceFeeds = [{ source: "near", venue: "kraken", url: "ws://127.0.0.1:4000/v2" }];
const templates = synthesize({
  allowedOrigins: ["https://app.example"],
  walletLimits: { Pro: 60 },
  issuer: "https://id.example/",
  audience: "terminal",
  cookieName: "session",
  channelShards: 7,
  priceFeeds,
  keyGraceSeconds: 7,
});
const functions = functionsOf(templates);
const rows = Object.entries<Operation>(operations);

/** What the template alone knows is in usage-plans.test.ts. */
const values: Record<string, unknown> = {
  FALLBACK_KEY: expect.anything(),
  PLAN_STAGES: expect.anything(),
  PLAN_PREFIX: "TerminalApi/user/",
  STANDARD_PLAN_ID: { Ref: expect.stringMatching(/^PlansStandard/) },
  PRO_PLAN_ID: { Ref: expect.stringMatching(/^PlansPro/) },
  KEY_GRACE_SECONDS: "7",
  ALLOWED_ORIGINS: '["https://app.example"]',
  WALLET_LIMITS: '{"Base":10,"Pro":60,"Enterprise":500}',
  ISSUER: "https://id.example/",
  AUDIENCE: "terminal",
  JWKS_URI: "",
  COOKIE_NAME: "session",
  CHANNEL_SHARDS: "7",
  PRICE_FEEDS: JSON.stringify(priceFeeds),
};

describe("the functions", () => {
  it("are the rows of the table, in the template and in the folder", () => {
    const names = rows.map(([name]) => name).sort();
    expect(Object.keys(functions).sort()).toEqual(names);
    expect(readdirSync("functions").sort()).toEqual(names);
  });

  it.each(rows)("%s has what its row says, and the runtime of all", (name, row) => {
    expect(functions[name]).toMatchObject({
      Architectures: ["arm64"],
      Handler: "index.handler",
      LoggingConfig: { LogFormat: "JSON", ApplicationLogLevel: "INFO", SystemLogLevel: "WARN" },
      MemorySize: row.memoryMB,
      Runtime: "nodejs24.x",
      Timeout: row.timeoutSeconds,
    });
  });

  it.each(rows)("%s has exactly the environment of its row", (name, row) => {
    const table = { "Fn::ImportValue": expect.stringContaining("RefTable") };
    const key = { "Fn::ImportValue": expect.stringMatching(/GetAttKey.*Arn/) };
    const callback = [
      "https://",
      { Ref: only(templates.api, "AWS::ApiGatewayV2::Api").id },
      ".execute-api.",
      { Ref: "AWS::Region" },
      ".",
      { Ref: "AWS::URLSuffix" },
      "/live",
    ];
    expect(functions[name]?.Environment?.Variables ?? {}).toEqual({
      ...(row.table.length > 0 && { TABLE_NAME: table }),
      ...(row.key.length > 0 && { KEY_ID: key }),
      ...(row.connections.length > 0 && {
        AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI: { "Fn::Join": ["", callback] },
      }),
      ...(row.invokes.includes("deliver") && {
        DELIVER_FUNCTION: { Ref: logicalIdOf(templates.api, "deliver") },
      }),
      ...Object.fromEntries(row.env.map((name) => [name, values[name]])),
    });
  });

  it("run any number at a time, so that one run of a schedule may overlap the next", () => {
    for (const properties of propertiesOf<object>(templates.api, "AWS::Lambda::Function"))
      expect(properties).not.toHaveProperty("ReservedConcurrentExecutions");
  });

  it("are not tried again when what they were to bring is old", () => {
    const fresh = (name: string) => ({
      FunctionName: { Ref: logicalIdOf(templates.api, name) },
      MaximumEventAgeInSeconds: 60,
      MaximumRetryAttempts: 0,
      Qualifier: "$LATEST",
    });
    const configured = propertiesOf(templates.api, "AWS::Lambda::EventInvokeConfig");
    // Executions are recorded once however often they come, so recordExecutions keeps Lambda's own two retries.
    expect(configured).toEqual([
      fresh("deliver"),
      fresh("feedPrices"),
      fresh("deleteRetiredKeys"),
      fresh("freeIdleKeys"),
    ]);
  });

  it("trust the user pool of the data stack when there is no other issuer", () => {
    const variables = functionsOf(synthesize()).authorize?.Environment?.Variables;
    const pool = { "Fn::ImportValue": expect.stringMatching(/RefUsersPool[0-9A-F]{8}/) };
    const issuer = ["https://cognito-idp.", { Ref: "AWS::Region" }, ".amazonaws.com/", pool];
    expect(variables).toMatchObject({
      ISSUER: { "Fn::Join": ["", issuer] },
      JWKS_URI: { "Fn::Join": ["", [...issuer, "/.well-known/jwks.json"]] },
      AUDIENCE: { "Fn::ImportValue": expect.stringContaining("RefUsersPoolClient") },
    });
  });
});
