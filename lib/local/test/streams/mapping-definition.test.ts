import { describe, expect, it } from "vitest";
import { StartupError } from "../../src/startup-error.ts";
import { readMappings } from "../../src/streams/mapping-definition.ts";
import { attribute, queueArn, resourcesOf, table } from "../cloudformation/stack.ts";

/** Properties that `new DynamoEventSource(…)` produces with all options that are emulated. */
const full = {
  BatchSize: 50,
  BisectBatchOnFunctionError: true,
  DestinationConfig: { OnFailure: { Destination: attribute("Failed", "Arn") } },
  EventSourceArn: attribute("Table", "StreamArn"),
  FilterCriteria: {
    Filters: [
      { Pattern: '{"dynamodb":{"Keys":{"SK":{"S":[{"prefix":"ORDER#"}]}}}}' },
      { Pattern: '{"eventName":["REMOVE"]}' },
    ],
  },
  FunctionName: { Ref: "Function" },
  FunctionResponseTypes: ["ReportBatchItemFailures"],
  MaximumRecordAgeInSeconds: 3600,
  MaximumRetryAttempts: 5,
  ParallelizationFactor: 4,
  StartingPosition: "TRIM_HORIZON",
};
const { EventSourceArn, FunctionName, StartingPosition } = full;
const required = { EventSourceArn, FunctionName, StartingPosition };

/**
 * Reads the mapping.
 * @param denied actions that the function's role does not allow
 */
function read(properties: object, denied: readonly string[] = []) {
  const resources = resourcesOf({
    Table: table,
    Plain: { ...table, Properties: { KeySchema: table.Properties.KeySchema } },
    Function: { Type: "AWS::Lambda::Function", Properties: { FunctionName: "listener" } },
    Failed: { Type: "AWS::SQS::Queue" },
    Mapping: { Type: "AWS::Lambda::EventSourceMapping", Properties: { ...properties } },
  });
  return readMappings(
    resources,
    resources.ofType("AWS::Lambda::EventSourceMapping"),
    (name) => name.endsWith("listener"),
    { has: (arn) => arn === queueArn("S-Failed") },
    (name, { action, resource }) =>
      denied.includes(action) ? `${name} may not perform ${action} on ${resource}` : undefined,
  );
}

describe("readMappings", () => {
  it("reads a mapping with all its properties", () => {
    const [mapping] = read(full);
    expect(mapping).toEqual({
      id: "S-Mapping",
      functionName: "listener",
      table: "S-Table",
      source: {
        streamArn: "arn:aws:dynamodb:us-east-1:000000000000:table/S-Table/stream/local",
        partitionKey: "PK",
      },
      lanes: 4,
      batchSize: 50,
      batch: { reportsItemFailures: true, bisects: true, maximumRetries: 5, maximumAgeMs: 3600_000 },
      matches: expect.any(Function),
      onFailure: queueArn("S-Failed"),
    });
    const matches = (event: object) => mapping?.matches(event);
    expect(matches({ dynamodb: { Keys: { SK: { S: "ORDER#1" } } } })).toBe(true);
    expect(matches({ eventName: "REMOVE" })).toBe(true);
    expect(matches({ eventName: "INSERT", dynamodb: { Keys: { SK: { S: "ITEM#1" } } } })).toBe(false);
  });

  it("uses Lambda's defaults for omitted properties", () => {
    const [mapping] = read({ ...required, MaximumRetryAttempts: -1, MaximumRecordAgeInSeconds: -1 });
    expect(mapping).toMatchObject({
      lanes: 1,
      batchSize: 100,
      batch: {
        reportsItemFailures: false,
        bisects: false,
        maximumRetries: Infinity,
        // A day, after which streams drop records.
        maximumAgeMs: 24 * 3600_000,
      },
      onFailure: undefined,
    });
    expect(mapping?.matches({})).toBe(true);
    expect(read(required)[0]).toEqual({ ...mapping, matches: expect.any(Function) });
  });

  it("accepts the ARN of a function", () => {
    expect(read({ ...required, FunctionName: attribute("Function", "Arn") })[0]?.functionName).toBe(
      "listener",
    );
  });

  it.each([
    ["dynamodb:GetRecords", "arn:aws:dynamodb:us-east-1:000000000000:table/S-Table/stream/local"],
    ["sqs:SendMessage", queueArn("S-Failed")],
  ])("rejects a function without the right to %s, like AWS", (action, resource) => {
    expect(() => read(full, [action])).toThrow(
      `AWS would refuse Mapping (AWS::Lambda::EventSourceMapping): listener may not perform ${action} on ${resource}`,
    );
    expect(read(required, ["sqs:SendMessage"])).toHaveLength(1);
  });

  it.each<[string, object]>([
    ["Enabled", { Enabled: false }],
    ["MaximumBatchingWindowInSeconds", { MaximumBatchingWindowInSeconds: 1 }],
    ["TumblingWindowInSeconds", { TumblingWindowInSeconds: 30 }],
    ["StartingPosition", { StartingPosition: "LATEST" }],
    ["BatchSize", { BatchSize: 10_001 }],
    ["MaximumRetryAttempts", { MaximumRetryAttempts: -2 }],
    ["MaximumRecordAgeInSeconds", { MaximumRecordAgeInSeconds: 59 }],
    ["ParallelizationFactor", { ParallelizationFactor: 11 }],
    ["FunctionResponseTypes.0", { FunctionResponseTypes: ["Other"] }],
    [
      "FilterCriteria.Filters.0.Pattern",
      { FilterCriteria: { Filters: [{ Pattern: '{"a":[{"numeric":["=",1]}]}' }] } },
    ],
    ["DestinationConfig.OnSuccess", { DestinationConfig: { OnSuccess: { Destination: "x" } } }],
    [
      "DestinationConfig.OnFailure.Destination",
      { DestinationConfig: { OnFailure: { Destination: "arn:aws:sns:x" } } },
    ],
    ["EventSourceArn", { EventSourceArn: queueArn("S-Failed") }],
    ["EventSourceArn", { EventSourceArn: attribute("Plain", "StreamArn") }],
    ["FunctionName", { FunctionName: "absent" }],
  ])("rejects a value of %s that is not emulated", (property, change) => {
    expect(() => read({ ...full, ...change })).toThrow(StartupError);
    expect(() => read({ ...full, ...change })).toThrow(
      `Mapping (AWS::Lambda::EventSourceMapping) has something that is not emulated: ${property}`,
    );
  });
});
