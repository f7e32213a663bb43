import { App } from "aws-cdk-lib";
import { describe, expect, it } from "vitest";
import { terminalApp } from "../../lib/infra/app.ts";
import { readConfiguration } from "../../lib/infra/config.ts";
import { marketWarnings } from "../../lib/infra/market-context.ts";
import { withoutCode } from "../../lib/infra/read-stacks.ts";
import { servedMethods } from "../../lib/operations/operations.ts";
import { statementsOfRole } from "./statements.ts";
import { functionsOf, ownHosts, resourcesOf, synthesize } from "./synthesized.ts";

const trading = { trading: ["eth"], chains: ownHosts };

const read = (context: object) => readConfiguration(new App({ context: { ...trading, ...context } }).node);

describe("markets", () => {
  it.each<[string, object, boolean, number]>([
    ["with enough runs", {}, true, 4],
    ["switched off", { markets: false }, false, 4],
    ["with few runs", { concurrentRuns: 49 }, false, 1],
    ["with just enough runs", { concurrentRuns: 50 }, true, 4],
    ["with few runs, and switched on", { concurrentRuns: 10, markets: true, channelShards: 2 }, true, 2],
    ["where nothing trades", { trading: [], markets: true }, false, 4],
  ])("reads the switch for markets from %s", (_, context, markets, channelShards) => {
    expect(read(context)).toMatchObject({ markets, channelShards });
  });

  it("refuses a value that is neither true nor false", () => {
    expect(() => read({ markets: "yes" })).toThrow("Context markets is not JSON");
    expect(() => read({ markets: 1 })).toThrow("Context markets must be true or false");
    expect(() => read({ concurrentRuns: 0 })).toThrow("Context concurrentRuns must be a whole number");
  });
});

describe("marketTokens", () => {
  it("reads a number of tokens for each chain that is named", () => {
    expect(read({}).marketTokens).toEqual({});
    expect(read({ marketTokens: '{"base":500}' }).marketTokens).toEqual({ base: 500 });
  });

  it.each<[unknown, string]>([
    [{ base: 0 }, "marketTokens.base must be a whole number from 1 to 500"],
    [{ base: 501 }, "marketTokens.base must be a whole number from 1 to 500"],
    [{ fantom: 5 }, 'marketTokens.fantom is not a chain: "fantom". The chains are eth'],
    [150, "marketTokens must be an object of chains"],
  ])("refuses %j", (marketTokens, message) => {
    expect(() => read({ marketTokens })).toThrow(`Context ${message}`);
  });
});

describe("marketWarnings", () => {
  it("names a concurrency limit below 50, and what such a limit switches off", () => {
    expect(marketWarnings(read({}))).toEqual([]);
    expect(marketWarnings(read({ concurrentRuns: 10 }))).toEqual([
      expect.stringMatching(/^Context concurrentRuns is 10: .*markets of tokens are off.*higher limit/),
    ]);
    expect(marketWarnings(read({ concurrentRuns: 10, markets: true }))).toEqual([
      expect.stringMatching(/and context markets adds to them/),
    ]);
  });
});

describe("the deployment", () => {
  it.each([
    [10, 1],
    [50, 0],
  ])("warns as often as it should with a limit of %i concurrent runs", (concurrentRuns, count) => {
    const app = terminalApp({ context: { ...withoutCode, ...trading, concurrentRuns } });
    const warnings = app.node
      .findChild("TerminalApi")
      .node.metadata.filter(
        ({ type, data }) => type === "aws:cdk:warning" && /concurrentRuns/.test(`${data}`),
      );
    expect(warnings).toHaveLength(count);
  });
});

type Method = { Integration: { Uri?: unknown } };

const methodsServedBy = ({ api }: ReturnType<typeof synthesize>, name: string) =>
  Object.values(resourcesOf<Method>(api, "AWS::ApiGateway::Method")).filter(({ Properties }) =>
    JSON.stringify(Properties.Integration.Uri ?? "").includes(`"${name}Function`),
  );

describe("a deployment that trades without markets", () => {
  const off = synthesize({ ...trading, markets: false });
  const on = synthesize(trading);

  it("has no function that reads markets, and refuses their methods by name", () => {
    const names = ["getMarket", "listCandles", "listNewTokens", "readMarkets", "loadHistory"];
    expect(Object.keys(functionsOf(off))).not.toEqual(expect.arrayContaining([expect.toBeOneOf(names)]));
    expect(Object.keys(functionsOf(on))).toEqual(expect.arrayContaining(names));
    const served = servedMethods.filter(({ name }) => names.includes(name));
    expect(methodsServedBy(off, "refuseMarkets")).toHaveLength(served.length);
    expect(methodsServedBy(on, "refuseMarkets")).toHaveLength(0);
    expect(methodsServedBy(off, "refuseTrading")).toHaveLength(0);
  });

  it("does not give the market reader's name to the functions that could otherwise start it", () => {
    const reader = (template: typeof on) =>
      functionsOf(template).subscribe?.Environment?.Variables.READ_MARKETS_FUNCTION;
    expect(reader(off)).toBe("");
    expect(JSON.stringify(reader(on))).toContain("markets-readMarkets");
  });

  it("lets the market reader invoke exactly three functions", () => {
    const role = functionsOf(on).readMarkets?.Role["Fn::GetAtt"][0] ?? "";
    const invoking = statementsOfRole(on.api, role).filter(({ Action }) =>
      Action.includes("lambda:InvokeFunction"),
    );
    const text = JSON.stringify(invoking);
    for (const name of ["deliver", "feedPrices", "loadHistory"]) expect(text).toContain(`${name}Function`);
    expect(text).not.toMatch(/executeOrders|signTransaction|sealExport/);
  });
});
