import { App } from "aws-cdk-lib";
import { describe, expect, it } from "vitest";
import { readConfiguration } from "../../lib/infra/config.ts";
import { functionsOf, ownHosts, synthesize, tradingContext } from "./synthesized.ts";

const all = { trading: ["eth"], chains: ownHosts, walletExport: true };

const read = (context: object) => readConfiguration(new App({ context: { ...context } }).node).reservedRuns;

const reservedIn = (context: Record<string, unknown>) =>
  Object.entries(functionsOf(synthesize(context))).flatMap(([name, properties]) => {
    const { ReservedConcurrentExecutions: runs } = properties as { ReservedConcurrentExecutions?: number };
    return runs === undefined ? [] : [[name, runs]];
  });

describe("context reservedRuns", () => {
  it("reserves nothing by default", () => {
    expect(reservedIn(tradingContext)).toEqual([]);
  });

  it("reserves as many runs for each of the functions that are deployed", () => {
    const always = { authorize: 20, authorizeConnection: 20 };
    expect(read({ reservedRuns: "20" })).toEqual(always);
    const more = {
      cancelOrder: 20,
      cancelOrders: 20,
      cancelExport: 20,
      lockExports: 20,
      signTransaction: 20,
    };
    expect(Object.fromEntries(reservedIn({ ...all, reservedRuns: 20 }))).toEqual({ ...always, ...more });
  });

  it("reserves different numbers for single functions", () => {
    const reservedRuns = { authorize: 200, signTransaction: 50 };
    expect(read({ ...all, reservedRuns })).toEqual(reservedRuns);
  });

  it.each<[object, string]>([
    [{ reservedRuns: 0 }, "reservedRuns must be a whole number from 1 to 10000"],
    [{ reservedRuns: { ping: 5 } }, "reservedRuns must be a whole number from 1 to 10000, or an object"],
    [{ reservedRuns: 20, concurrentRuns: 10 }, "reservedRuns add up to 140; at most 0 of concurrentRuns"],
    [{ reservedRuns: { authorize: 901 } }, "reservedRuns add up to 901; at most 900 of concurrentRuns"],
  ])("refuses %j", (context, message) => {
    expect(() => read({ ...all, ...context })).toThrow(message);
  });
});
