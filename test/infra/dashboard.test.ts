import { describe, expect, it } from "vitest";
import { only, ownHosts, propertiesOf, synthesize, type Template, watchOf } from "./synthesized.ts";

type Filter = {
  FilterPattern: string;
  LogGroupName: { Ref: string };
  MetricTransformations: { MetricName: string }[];
};

const chains = { ...ownHosts, sol: ownHosts.base };
const templateOf = (trading: string[]) => watchOf(synthesize({ trading, chains }));
const withSol = templateOf(["base", "sol"]);
const without = templateOf(["base"]);

const filtersOf = (template: Template) =>
  propertiesOf<Filter>(template, "AWS::Logs::MetricFilter").filter(({ MetricTransformations: [metric] }) =>
    metric?.MetricName.startsWith("Sol"),
  );

const textOf = (template: Template) =>
  JSON.stringify(only(template, "AWS::CloudWatch::Dashboard").Properties);

describe("the dashboard of a deployment that trades", () => {
  it("shows, for each chain, the median and the 95th percentile of the time to a broadcast", () => {
    const [filter] = propertiesOf<Filter>(withSol, "AWS::Logs::MetricFilter").filter(
      ({ MetricTransformations: [metric] }) => metric?.MetricName === "TimeToBroadcast",
    );
    expect(filter).toEqual({
      FilterPattern: '{ ($.message.event = "hosts asked") && ($.message.broadcastMs >= 0) }',
      LogGroupName: { Ref: expect.stringMatching(/^executeOrdersLog/) },
      MetricTransformations: [
        {
          MetricName: "TimeToBroadcast",
          MetricNamespace: "TerminalApi",
          MetricValue: "$.message.broadcastMs",
          Dimensions: [{ Key: "Chain", Value: "$.message.chain" }],
        },
      ],
    });
    const text = textOf(withSol).replaceAll("\\", "");
    for (const chain of ["base", "sol"])
      for (const stat of ["p50", "p95"])
        expect(text).toContain(
          `"TimeToBroadcast","Chain","${chain}",{"label":"${chain} ${stat}","stat":"${stat}"}`,
        );
    expect(textOf(without)).not.toContain("sol p50");
  });
});

describe("the dashboard of a deployment that trades on Solana", () => {
  it("uses log filters to add up, by path, the settled orders that executeOrders logs", () => {
    const expected = ["signed", "landed"].map((field) => ({
      FilterPattern: '{ $.message.event = "executeOrders settled" }',
      LogGroupName: { Ref: expect.stringMatching(/^executeOrdersLog/) },
      MetricTransformations: [
        {
          MetricName: field === "signed" ? "SolSigned" : "SolLanded",
          MetricNamespace: "TerminalApi",
          MetricValue: `$.message.${field}`,
          Dimensions: [{ Key: "Path", Value: "$.message.path" }],
        },
      ],
    }));
    expect(filtersOf(withSol)).toEqual(expected);
  });

  it("shows how many signed messages of each path are in a block", () => {
    for (const path of ["private", "public", "clear"])
      expect(textOf(withSol)).toContain(`100 * ${path}Landed / ${path}Signed`);
  });

  it("omits filters and graphs of Solana if the deployment does not trade there", () => {
    expect(filtersOf(without)).toEqual([]);
    expect(textOf(without)).not.toContain("Solana");
  });
});
