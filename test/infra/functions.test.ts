import { readdirSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { operations } from "../../lib/operations/operations.ts";
import type { Operation } from "../../lib/operations/types.ts";
import {
  customContext,
  functionsOf,
  logicalIdOf,
  ownHosts,
  propertiesOf,
  synthesize,
} from "./synthesized.ts";

const templates = synthesize(customContext);
const functions = functionsOf(templates);
const rows = Object.entries<Operation>(operations);

describe("the functions", () => {
  it("has a function for each row of THE TABLE, in the template and in functions/", () => {
    const names = rows.map(([name]) => name).sort();
    expect(Object.keys(functions).sort()).toEqual(names);
    expect(readdirSync("functions").sort()).toEqual(names);
  });

  it("gives all functions the common runtime", () => {
    for (const properties of Object.values(functions))
      expect(properties).toMatchObject({
        Architectures: ["arm64"],
        Handler: "index.handler",
        LoggingConfig: { LogFormat: "JSON", ApplicationLogLevel: "INFO", SystemLogLevel: "WARN" },
        Runtime: "nodejs24.x",
      });
  });

  it("reserves no concurrency, so that runs of a schedule may overlap", () => {
    for (const properties of propertiesOf<object>(templates.api, "AWS::Lambda::Function"))
      expect(properties).not.toHaveProperty("ReservedConcurrentExecutions");
  });

  it("does not retry functions whose result would be out of date", () => {
    const fresh = (name: string) => ({
      FunctionName: { Ref: logicalIdOf(templates.api, name) },
      MaximumEventAgeInSeconds: 60,
      MaximumRetryAttempts: 0,
      Qualifier: "$LATEST",
    });
    const configured = propertiesOf(templates.api, "AWS::Lambda::EventInvokeConfig");
    // recordExecutions and catchUp are idempotent, and keep Lambda's default of two retries.
    const names = [
      "deliver",
      "executeOrders",
      "readMarkets",
      "loadHistory",
      "creditReferrals",
      "creditTrades",
      "deleteRetiredKeys",
      "freeIdleKeys",
      "makeFallbackKeys",
      "readChains",
      "watchTriggers",
      "sweepLanes",
      "loosenGuards",
    ];
    const others = configured.filter((each) => !names.map(fresh).some((one) => isDeepStrictEqual(each, one)));
    // Keeps retries of feedPrices: nothing else restarts a failed run, and a start may wait for free concurrency.
    expect(others).toEqual([
      { ...fresh("feedPrices"), MaximumEventAgeInSeconds: 3600, MaximumRetryAttempts: 2 },
    ]);
    expect(configured).toHaveLength(names.length + 1);
  });

  it("allows no function to invoke itself or a cycle, except two that start readers which are not running", () => {
    // executeOrders starts readChains, and a run of readMarkets starts those of single chains.
    const nextOf = (name: string) =>
      (operations[name as keyof typeof operations] as Operation).invokes.filter(
        (next) => next !== "readChains" && !(name === "readMarkets" && next === name),
      );
    const reached = (name: string, seen: readonly string[] = []): readonly string[] =>
      nextOf(name).flatMap((next) =>
        seen.includes(next) ? [next] : [next, ...reached(next, [...seen, next])],
      );
    for (const [name] of rows) expect(reached(name)).not.toContain(name);
    const looping = Object.entries(functions).filter(([, properties]) => "RecursiveLoop" in properties);
    expect(looping).toEqual([["readMarkets", expect.objectContaining({ RecursiveLoop: "Allow" })]]);
  });

  it("trusts the user pool of the data stack if no issuer is configured", () => {
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

type RuleProperties = {
  State: string;
  Targets: { Arn: { "Fn::GetAtt": [string, "Arn"] }; Input?: string }[];
};

function scheduleOf(name: string, context?: Record<string, unknown>) {
  const { api } = synthesize(context);
  const id = logicalIdOf(api, name);
  const rules = propertiesOf<RuleProperties>(api, "AWS::Events::Rule");
  return { id, rule: rules.find(({ Targets: [target] }) => target?.Arn["Fn::GetAtt"][0] === id) };
}

describe("the schedules", () => {
  it.each([
    ["creditReferrals", "rate(1 minute)"],
    ["creditTrades", "rate(1 minute)"],
    ["deleteRetiredKeys", "rate(5 minutes)"],
    ["freeIdleKeys", "rate(1 day)"],
    ["makeFallbackKeys", "rate(5 minutes)"],
    ["sweepLanes", "rate(1 minute)"],
  ])("runs %s at a %s, and drops late runs", (name, ScheduleExpression) => {
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
    ["one run for all chains", { trading: ["eth", "base"], chains: ownHosts }, 256, [undefined]],
    [
      "a run for each chain, with more memory",
      { trading: ["eth", "base"], chains: ownHosts, readChainsPerChain: true, readChainsMemoryMB: 1769 },
      1769,
      ['{"chain":"eth"}', '{"chain":"base"}'],
    ],
  ])("reads chains with %s", (_, context, memoryMB, inputs) => {
    expect(functionsOf(synthesize(context)).readChains?.MemorySize).toBe(memoryMB);
    const { Targets = [] } = scheduleOf("readChains", context).rule ?? {};
    expect(Targets.map(({ Input }) => Input)).toEqual(inputs);
  });
});
