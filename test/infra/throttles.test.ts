import { describe, expect, it } from "vitest";
import { defaultThrottles, stagesShare, throttleOfMethod, totalRate } from "../../lib/infra/throttles.ts";
import { operations, operationsOf, servedMethods } from "../../lib/operations/operations.ts";
import { guards, methodThrottlesOf } from "../../lib/plans/method-throttles.ts";
import { maxRequestsPerMinute, throttleOf } from "../../lib/plans/plan.ts";
import { customContext, only, propertiesOf, resourcesOf, synthesize, type Template } from "./synthesized.ts";

type Limits = { ThrottlingRateLimit: number; ThrottlingBurstLimit: number };
type MethodSetting = Limits & { HttpMethod: string; ResourcePath: string; MetricsEnabled: boolean };

const methodSettings = (template: Template) =>
  only<{ MethodSettings: MethodSetting[] }>(template, "AWS::ApiGateway::Stage").Properties.MethodSettings;

const streamStage = (template: Template) =>
  only<{ RouteSettings: Record<string, Limits> }>(template, "AWS::ApiGatewayV2::Stage");

const settingOf = (template: Template, path: string, method: string) =>
  methodSettings(template).find(
    ({ ResourcePath, HttpMethod }) =>
      HttpMethod === method && ResourcePath === `/${path.replaceAll("/", "~1")}`,
  );

const served: ReadonlySet<string> = new Set(servedMethods.map(({ path, method }) => `${path}/${method}`));
const ofKeys = methodThrottlesOf({ requestsPerMinute: maxRequestsPerMinute });

/** True for guards and cheap methods, whose total only the account's rate limits. */
function isUnbound({ ResourcePath, HttpMethod }: MethodSetting): boolean {
  const name = `${ResourcePath.slice(1).replaceAll("~1", "/")}/${HttpMethod}`;
  return served.has(name) && (guards.includes(name) || ofKeys[name] === undefined);
}

/** Adds up the requests per second that API Gateway accepts of costly methods, preflights and routes, from the template. */
function ratesOf(template: Template): number[] {
  const settings = methodSettings(template);
  const ofAll = settings.find(({ ResourcePath }) => ResourcePath === "/*")?.ThrottlingRateLimit;
  const unlisted =
    Object.keys(resourcesOf(template, "AWS::ApiGateway::Method")).length - (settings.length - 1);
  const routes = propertiesOf<{ RouteKey: string }>(template, "AWS::ApiGatewayV2::Route");
  const ofRoutes = streamStage(template).Properties.RouteSettings;
  return [
    ...settings
      .filter(({ ResourcePath }) => ResourcePath !== "/*")
      .filter((setting) => !isUnbound(setting))
      .map((each) => each.ThrottlingRateLimit),
    ...Array.from({ length: unlisted }, () => ofAll ?? Number.NaN),
    ...routes.map(({ RouteKey }) => ofRoutes[RouteKey]?.ThrottlingRateLimit ?? Number.NaN),
  ];
}

describe("the throttles of both stages", () => {
  it.each([
    ["without context", {}, 10_000],
    ["with every choice", customContext, 2500],
    ["with allowed origins", { allowedOrigins: ["https://app.example"] }, 10_000],
  ])("leaves a fifth of the account's requests to pushes, %s", (_, context, account) => {
    const rates = ratesOf(synthesize(context).api);
    expect(rates.reduce((sum, rate) => sum + rate)).toBeLessThanOrEqual(0.8 * account);
  });

  it.each([250, 251, 1000, 2500, 10_000, 1_000_000])(
    "leaves a fifth by default to pushes of an account of %i requests a second",
    (account) => {
      expect(totalRate(defaultThrottles(account))).toBeLessThanOrEqual(stagesShare * account);
    },
  );

  it("limits every method according to its row", () => {
    const { api } = synthesize(customContext);
    const throttles = defaultThrottles(2500);
    for (const each of servedMethods)
      expect(settingOf(api, each.path, each.method)).toEqual({
        HttpMethod: each.method,
        ResourcePath: `/${each.path.replaceAll("/", "~1")}`,
        MetricsEnabled: false,
        DataTraceEnabled: false,
        LoggingLevel: "OFF",
        ThrottlingRateLimit: throttleOfMethod(throttles, each).rateLimit,
        ThrottlingBurstLimit: throttleOfMethod(throttles, each).burstLimit,
      });
  });

  it("follows the expected mix, and leaves room for more methods", () => {
    const throttles = defaultThrottles(10_000);
    const { quoteOrder, placeOrder, listCandles, exportWallet } = throttles;
    expect([quoteOrder, placeOrder, listCandles, exportWallet].map(({ rateLimit }) => rateLimit)).toEqual([
      1000, 200, 200, 40,
    ]);
    expect(stagesShare * 10_000 - totalRate(throttles)).toBeGreaterThan(5 * exportWallet.rateLimit);
  });

  it("limits a HEAD to a tenth of its GET, but at least one request", () => {
    const throttles = { ...defaultThrottles(10_000), listOrders: { rateLimit: 9, burstLimit: 30 } };
    const of = (name: "listOrders" | "getMarket", method: "GET" | "HEAD") =>
      throttleOfMethod(throttles, { name, method });
    expect(of("listOrders", "GET")).toEqual({ rateLimit: 9, burstLimit: 30 });
    expect(of("listOrders", "HEAD")).toEqual({ rateLimit: 1, burstLimit: 3 });
    expect(of("getMarket", "HEAD")).toEqual({ rateLimit: 20, burstLimit: 250 });
  });

  it.each([
    "cancelOrder",
    "cancelOrders",
    "cancelExport",
    "lockExports",
    "setWalletPolicy",
    "endSession",
  ] as const)("leaves requests to %s, which stops a thief, to the account's own limit", (name) => {
    expect(defaultThrottles(10_000)[name]).toEqual({ rateLimit: 10_000, burstLimit: 5000 });
    expect(defaultThrottles(2500)[name]).toEqual({ rateLimit: 2500, burstLimit: 1250 });
  });

  it.each([2500, 10_000])(
    "lets no two users take all of a method, whatever their plan, in an account of %i requests a second",
    (account) => {
      const throttles = defaultThrottles(account);
      for (const served of servedMethods) {
        const own = ofKeys[`${served.path}/${served.method}`];
        const { rateLimit, burstLimit } = throttleOfMethod(throttles, served);
        if (own === undefined) {
          if (served.method !== "HEAD")
            expect(rateLimit, served.name).toBeGreaterThan(
              2 * throttleOf({ requestsPerMinute: 5000 }).rateLimit,
            );
          continue;
        }
        expect(rateLimit, served.name).toBeGreaterThanOrEqual(2 * own.rateLimit);
        expect(burstLimit, served.name).toBeGreaterThan(2 * own.burstLimit);
      }
    },
  );

  it("limits every route to its value in the context", () => {
    const { RouteSettings } = streamStage(synthesize(customContext).api).Properties;
    expect(Object.keys(RouteSettings).sort()).toEqual(
      operationsOf("websocket")
        .map(([, { route }]) => route)
        .sort(),
    );
    expect(RouteSettings[operations.ping.route]).toEqual({
      DetailedMetricsEnabled: false,
      ThrottlingRateLimit: 3,
      ThrottlingBurstLimit: 4,
    });
    expect(RouteSettings.$connect).toMatchObject({ ThrottlingRateLimit: 125, ThrottlingBurstLimit: 1250 });
  });

  it("sets throttles after the routes exist, because API Gateway rejects settings of unknown routes", () => {
    const { api } = synthesize();
    const routes = Object.keys(resourcesOf(api, "AWS::ApiGatewayV2::Route"));
    expect(streamStage(api).DependsOn).toEqual(expect.arrayContaining(routes));
  });
});
