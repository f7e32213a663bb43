import { describe, expect, it } from "vitest";
import { allOf, contexts, synthesize, type Template, watchOf } from "./synthesized.ts";

const { data, api, watch, deployedAfter } = synthesize();

const typesOf = ({ Resources }: Template) => new Set(Object.values(Resources).map(({ Type }) => Type));

describe("the watch stack", () => {
  it("contains all alarms, log filters and dashboards of the deployment", () => {
    const types = new Set([
      "AWS::CloudWatch::Alarm",
      "AWS::Logs::MetricFilter",
      "AWS::CloudWatch::Dashboard",
    ]);
    expect(typesOf(watch)).toEqual(types);
    for (const template of [data, api])
      expect([...typesOf(template)].filter((type) => types.has(type))).toEqual([]);
  });

  it("deploys the watch stack after the stacks that it reads, which do not refer to it", () => {
    expect(deployedAfter.TerminalWatch).toEqual(expect.arrayContaining(["TerminalApi", "TerminalData"]));
    for (const template of [data, api]) expect(JSON.stringify(template)).not.toContain("TerminalWatch");
  });

  it("refers to other stacks only by names, so that those stacks can change", () => {
    expect(JSON.stringify(watch)).not.toContain("Fn::ImportValue");
    const read = new Set<string>();
    watchOf({ data, api, watch }, (value, { Resources }) => {
      const { Ref, "Fn::GetAtt": [id, attribute] = [Ref] } = value as Record<string, string & string[]>;
      read.add([Resources[id as string]?.Type, attribute].join(" ").trim());
    });
    expect([...read].sort()).toEqual([
      "AWS::ApiGatewayV2::Api",
      "AWS::DynamoDB::Table",
      "AWS::Lambda::Function",
      "AWS::Logs::LogGroup",
      "AWS::SQS::Queue QueueName",
    ]);
  });
});

describe("each stack", () => {
  it.each(Object.entries(contexts))("stays well below CloudFormation's limits with %s", (_, context) => {
    // Merges the stack of the APIs with its nested stacks. function-stacks.test.ts reads it as it is deployed.
    const { api, ...others } = synthesize(context);
    for (const template of allOf({ api, ...others }).filter((each) => each !== api)) {
      // CloudFormation's limits are 500 resources, 200 outputs and 1 MB.
      expect(Object.keys(template.Resources).length).toBeLessThanOrEqual(425);
      expect(Object.keys(template.Outputs ?? {}).length).toBeLessThanOrEqual(150);
      expect(JSON.stringify(template).length).toBeLessThan(500_000);
    }
  });
});
