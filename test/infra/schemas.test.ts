import { describe, expect, it } from "vitest";
import { problemsIn } from "./schemas.ts";
import { allOf, contexts, logicalIdOf, only, resourcesOf, synthesize, type Template } from "./synthesized.ts";

describe("the templates", () => {
  it.each(Object.entries(contexts))("satisfies AWS's schemas with %s", (_, context) => {
    for (const template of allOf(synthesize(context))) expect(problemsIn(template)).toEqual([]);
  });
});

const { data, api, watch } = synthesize();
const ping = logicalIdOf(api, "ping");
const table = only(data, "AWS::DynamoDB::Table").id;
const [alarm = "", other = ""] = Object.keys(resourcesOf(watch, "AWS::CloudWatch::Alarm"));
const [log = ""] = Object.keys(resourcesOf(api, "AWS::Logs::LogGroup"));

/** Copies a template with changed properties of a resource. `undefined` removes a property. */
function changed(template: Template, id: string, properties: object, rest: object = {}): Template {
  const resource = template.Resources[id];
  if (resource === undefined) throw new Error(`There is no resource ${id}`);
  const merged = Object.entries({ ...resource.Properties, ...properties });
  const Properties = Object.fromEntries(merged.filter(([, value]) => value !== undefined));
  return { ...template, Resources: { ...template.Resources, [id]: { ...resource, ...rest, Properties } } };
}

describe("problemsIn", () => {
  it.each<[string, Template, string]>([
    ["an unknown property", changed(api, ping, { Memory: 1 }), `${ping}: Memory is unknown`],
    [
      "an unknown property inside another",
      changed(data, table, { KeySchema: [{ AttributeName: "PK", KeyType: "HASH", Type: "S" }] }),
      `${table}.KeySchema.0: Type is unknown`,
    ],
    [
      "an attribute that is set",
      changed(data, table, { StreamArn: "arn" }),
      `${table}: StreamArn is unknown`,
    ],
    ["a missing property", changed(api, ping, { Role: undefined }), `${ping}: Role is missing`],
    [
      "a missing property inside another",
      changed(data, table, { KeySchema: [{ AttributeName: "PK" }] }),
      `${table}.KeySchema.0: KeyType is missing`,
    ],
    [
      "text for a number",
      changed(api, ping, { Timeout: "10" }),
      `${ping}.Timeout: expected a whole number, not "10"`,
    ],
    [
      "part of a number",
      changed(api, ping, { Timeout: 1.5 }),
      `${ping}.Timeout: expected a whole number, not 1.5`,
    ],
    ["a number for text", changed(api, ping, { Handler: 1 }), `${ping}.Handler: expected text, not 1`],
    [
      "text for a flag",
      changed(watch, alarm, { ActionsEnabled: "yes" }),
      `${alarm}.ActionsEnabled: expected true or false`,
    ],
    [
      "text for a list",
      changed(watch, alarm, { AlarmActions: "arn" }),
      `${alarm}.AlarmActions: expected a list`,
    ],
    [
      "a list for an object",
      changed(api, ping, { Environment: [] }),
      `${ping}.Environment: expected an object`,
    ],
    [
      "a value that is not allowed",
      changed(api, log, { RetentionInDays: 31 }),
      `${log}.RetentionInDays: expected 1, 3, 5`,
    ],
    [
      "text that is not allowed",
      changed(api, ping, { LoggingConfig: { LogFormat: "json" } }),
      `${ping}.LoggingConfig.LogFormat: expected Text, JSON`,
    ],
    [
      "an unknown type",
      changed(watch, alarm, {}, { Type: "AWS::CloudWatch::Alert" }),
      "AWS::CloudWatch::Alert is unknown",
    ],
    ["a reference to nothing", changed(api, ping, { Role: { Ref: "Absent" } }), `${ping}: Absent is absent`],
    [
      "an attribute that its type does not have",
      changed(api, ping, { Role: { "Fn::GetAtt": [ping, "Name"] } }),
      `${ping}: AWS::Lambda::Function has no attribute Name`,
    ],
    [
      "a dependency on nothing",
      changed(watch, other, {}, { DependsOn: ["Absent"] }),
      `${other}: depends on Absent, which is absent`,
    ],
  ])("reports the problem: %s", (_, template, problem) => {
    expect(problemsIn(template)).toEqual([expect.stringContaining(problem)]);
  });
});
