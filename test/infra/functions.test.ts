import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Operation } from "../../lib/operation-types.ts";
import { operations } from "../../lib/operations.ts";
import {
  customContext,
  functionsOf,
  importKeyArn,
  logicalIdOf,
  only,
  propertiesOf,
  synthesize,
  tradingContext,
} from "./synthesized.ts";

const templates = synthesize(customContext);
const functions = functionsOf(templates);
const rows = Object.entries<Operation>(operations);

/** tier-plans.test.ts checks the values that only the template knows. */
const values: Record<string, unknown> = {
  FALLBACK_KEY: expect.anything(),
  PLAN_STAGES: expect.anything(),
  PLAN_PREFIX: "TerminalApi/user/",
  STANDARD_PLAN_ID: { Ref: expect.stringMatching(/^PlansStandard/) },
  PRO_PLAN_ID: { Ref: expect.stringMatching(/^PlansPro/) },
  KEY_GRACE_SECONDS: "7",
  EXPORT_DELAY_SECONDS: "100000",
  NOTICE_BUS_ARN: "arn:aws:events:eu-west-1:111111111111:event-bus/notices",
  ALLOWED_ORIGINS: '["https://app.example","http://localhost:5173"]',
  WALLET_LIMITS: '{"Base":10,"Pro":60,"Enterprise":500}',
  ISSUER: "https://id.example/",
  AUDIENCE: "terminal",
  JWKS_URI: "",
  COOKIE_NAME: "session",
  ORIGIN_KEY: "",
  EDGE_ONLY: "false",
  COOKIE_SAME_SITE: "Lax",
  CHANNEL_SHARDS: "7",
  CONNECTIONS_PER_USER: "3",
  PRICE_FEEDS: JSON.stringify(customContext.priceFeeds),
};

describe("the functions", () => {
  it("are the rows of THE TABLE, in the template and in functions/", () => {
    const names = rows.map(([name]) => name).sort();
    expect(Object.keys(functions).sort()).toEqual(names);
    expect(readdirSync("functions").sort()).toEqual(names);
  });

  it.each(rows)("include %s with the memory and timeout of its row, and the common runtime", (name, row) => {
    expect(functions[name]).toMatchObject({
      Architectures: ["arm64"],
      Handler: "index.handler",
      LoggingConfig: { LogFormat: "JSON", ApplicationLogLevel: "INFO", SystemLogLevel: "WARN" },
      MemorySize: row.memoryMB,
      Runtime: "nodejs24.x",
      Timeout: row.timeoutSeconds,
    });
  });

  it("have 512 MB and 10 s unless their row differs", () => {
    expect(functions.listWallets).toMatchObject({ MemorySize: 512, Timeout: 10 });
    expect(functions.ping).toMatchObject({ MemorySize: 256, Timeout: 10 });
    expect(functions.recordExecutions).toMatchObject({ MemorySize: 512, Timeout: 30 });
  });

  it.each(rows)("include %s with exactly the environment of its row", (name, row) => {
    const table = { "Fn::ImportValue": expect.stringContaining("RefTable") };
    const key = { "Fn::ImportValue": expect.stringMatching(/GetAttKey.*Arn/) };
    const callback = [
      "https://",
      { Ref: only(templates.api, "AWS::ApiGatewayV2::Api").id },
      ".execute-api.",
      { Ref: "AWS::Region" },
      ".",
      { Ref: "AWS::URLSuffix" },
      "/stream",
    ];
    expect(functions[name]?.Environment?.Variables ?? {}).toEqual({
      ...(row.table.length > 0 && { TABLE_NAME: table }),
      ...(row.key.length > 0 && { KEY_ID: key }),
      ...(row.importKeys.length > 0 && { IMPORT_KEYS: importKeyArn }),
      ...(row.mac.length > 0 && {
        MAC_KEY_ID: { "Fn::GetAtt": [only(templates.api, "AWS::KMS::Key").id, "Arn"] },
      }),
      ...(row.connections.length > 0 && {
        AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI: { "Fn::Join": ["", callback] },
      }),
      ...(row.invokes.includes("deliver") && {
        DELIVER_FUNCTION: { Ref: logicalIdOf(templates.api, "deliver") },
      }),
      ...(row.invokes.includes("catchUp") && {
        CATCH_UP_FUNCTION: { Ref: logicalIdOf(templates.api, "catchUp") },
      }),
      ...(row.invokes.includes("executeOrders") && {
        EXECUTE_ORDERS_FUNCTION: { Ref: logicalIdOf(templates.api, "executeOrders") },
      }),
      ...(row.invokes.includes("sealExport") && {
        SEAL_EXPORT_FUNCTION: { Ref: logicalIdOf(templates.api, "sealExport") },
      }),
      ...(row.invokes.includes("signTransaction") && {
        SIGN_TRANSACTION_FUNCTION: { Ref: logicalIdOf(templates.api, "signTransaction") },
      }),
      ...(row.opensWallets && { AWS_ACCOUNT_ID_ENDPOINT_MODE: "disabled" }),
      ...Object.fromEntries(row.env.map((name) => [name, values[name]])),
    });
  });

  it("reserve no concurrency, so that runs of a schedule may overlap", () => {
    for (const properties of propertiesOf<object>(templates.api, "AWS::Lambda::Function"))
      expect(properties).not.toHaveProperty("ReservedConcurrentExecutions");
  });

  it("are not retried if their work is out of date", () => {
    const fresh = (name: string) => ({
      FunctionName: { Ref: logicalIdOf(templates.api, name) },
      MaximumEventAgeInSeconds: 60,
      MaximumRetryAttempts: 0,
      Qualifier: "$LATEST",
    });
    const configured = propertiesOf(templates.api, "AWS::Lambda::EventInvokeConfig");
    // recordExecutions and catchUp are idempotent, and keep Lambda's own two retries.
    const names = [
      "deliver",
      "executeOrders",
      "feedPrices",
      "creditReferrals",
      "deleteRetiredKeys",
      "freeIdleKeys",
      "watchReceipts",
      "sweepLanes",
    ];
    expect(configured).toHaveLength(names.length);
    expect(configured).toEqual(expect.arrayContaining(names.map(fresh)));
  });

  it("never invoke themselves, or each other in a circle", () => {
    const reached = (name: string, seen: readonly string[] = []): readonly string[] =>
      (operations[name as keyof typeof operations] as Operation).invokes.flatMap((next) =>
        seen.includes(next) ? [next] : [next, ...reached(next, [...seen, next])],
      );
    for (const [name] of rows) expect(reached(name)).not.toContain(name);
  });

  it("trust the user pool of the data stack if no issuer is configured", () => {
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

type RuleProperties = { State: string; Targets: { Arn: { "Fn::GetAtt": [string, "Arn"] } }[] };

function scheduleOf(name: string, context?: Record<string, unknown>) {
  const { api } = synthesize(context);
  const id = logicalIdOf(api, name);
  const rules = propertiesOf<RuleProperties>(api, "AWS::Events::Rule");
  return { id, rule: rules.find(({ Targets: [target] }) => target?.Arn["Fn::GetAtt"][0] === id) };
}

describe("the schedules", () => {
  it.each([
    ["feedPrices", "rate(1 minute)"],
    ["creditReferrals", "rate(1 minute)"],
    ["deleteRetiredKeys", "rate(5 minutes)"],
    ["freeIdleKeys", "rate(1 day)"],
    ["watchReceipts", "rate(1 minute)"],
    ["sweepLanes", "rate(1 minute)"],
  ])("run %s at a %s, and drop runs that are late", (name, ScheduleExpression) => {
    const { id, rule } = scheduleOf(name, customContext);
    expect(rule).toEqual({
      Description: expect.any(String),
      ScheduleExpression,
      State: "ENABLED",
      Targets: [
        {
          Arn: { "Fn::GetAtt": [id, "Arn"] },
          Id: "Target0",
          RetryPolicy: { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 0 },
        },
      ],
    });
  });

  it.each([
    ["feedPrices", "DISABLED"],
    ["creditReferrals", "ENABLED"],
    ["deleteRetiredKeys", "ENABLED"],
    ["freeIdleKeys", "ENABLED"],
  ])("have %s %s without price feeds", (name, State) => {
    expect(scheduleOf(name, tradingContext).rule).toMatchObject({ State });
  });
});
