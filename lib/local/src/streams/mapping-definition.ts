import * as v from "valibot";
import {
  notDeployable,
  notEmulated,
  type Resource,
  readProperties,
  resolved,
} from "../cloudformation/resource.ts";
import { generatedName, tableName, tableStreamArn } from "../cloudformation/resource-types.ts";
import type { Resources } from "../cloudformation/resources.ts";
import type { Denial } from "../iam/callers.ts";
import { nameIn } from "../lambda/lambda.ts";
import type { ChangeSource } from "./change.ts";
import { readPattern } from "./filter-pattern.ts";
import type { BatchOptions } from "./process-batch.ts";
import type { Queues } from "./queues.ts";

/** An event source mapping from a table's stream to a function. It starts at the oldest record. */
export type MappingDefinition = {
  /** Id that stays the same in every run. */
  id: string;
  functionName: string;
  table: string;
  source: ChangeSource;
  /** Number of batches of one shard that are handled at a time. */
  lanes: number;
  /** Maximum number of records in a batch. */
  batchSize: number;
  batch: BatchOptions;
  matches: (event: object) => boolean;
  /** ARN of the queue for changes that are given up. */
  onFailure: string | undefined;
};

/** Milliseconds for which streams keep records. After that, every retry ends. */
const RETENTION_MS = 24 * 3600_000;

const between = (least: number, most: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(most));
const unlimited = v.literal(-1);

const Mapping = v.strictObject({
  EventSourceArn: v.string(),
  FunctionName: v.string(),
  StartingPosition: v.literal("TRIM_HORIZON"),
  BatchSize: v.optional(between(1, 10_000), 100),
  ParallelizationFactor: v.optional(between(1, 10), 1),
  FilterCriteria: v.optional(
    v.strictObject({ Filters: v.optional(v.array(v.strictObject({ Pattern: v.string() })), []) }),
    {},
  ),
  FunctionResponseTypes: v.optional(v.array(v.literal("ReportBatchItemFailures")), []),
  BisectBatchOnFunctionError: v.optional(v.boolean(), false),
  MaximumRetryAttempts: v.optional(v.union([unlimited, between(0, 10_000)]), -1),
  MaximumRecordAgeInSeconds: v.optional(v.union([unlimited, between(60, 604_800)]), -1),
  DestinationConfig: v.optional(
    v.strictObject({ OnFailure: v.optional(v.strictObject({ Destination: v.string() })) }),
    {},
  ),
  Tags: v.optional(v.unknown()),
});

const KeySchema = v.array(v.object({ AttributeName: v.string(), KeyType: v.string() }));

/** Rights to read a stream. Lambda refuses a mapping without them. */
const streamReading = ["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"];

/**
 * Reads the event source mappings of the stacks. Lambda reads their streams, and writes to their queues, with the rights
 * of the function.
 * @throws {StartupError} if a property is not emulated or refers to something missing; the message names the mapping
 */
export function readMappings(
  resources: Resources,
  mappings: readonly Resource[],
  hasFunction: (nameOrArn: string) => boolean,
  queues: Pick<Queues, "has">,
  denial: Denial,
): MappingDefinition[] {
  const tables = new Map(
    resources
      .ofType("AWS::DynamoDB::Table")
      .filter((table) => table.property("StreamSpecification") !== undefined)
      .map((table) => [tableStreamArn(table), table]),
  );
  return mappings.map((resource) => {
    const properties = readProperties(Mapping, resolved(resource));
    const table = tables.get(properties.EventSourceArn);
    if (table === undefined) throw notEmulated(resource, "EventSourceArn: not the stream of a table");
    if (!hasFunction(properties.FunctionName)) {
      throw notEmulated(resource, `FunctionName: there is no function ${properties.FunctionName}`);
    }
    const onFailure = properties.DestinationConfig.OnFailure?.Destination;
    if (onFailure !== undefined && !queues.has(onFailure)) {
      throw notEmulated(resource, `DestinationConfig.OnFailure.Destination: there is no queue ${onFailure}`);
    }
    const functionName = nameIn(properties.FunctionName);
    const needed = [
      ...streamReading.map((action) => ({ action, resource: properties.EventSourceArn })),
      ...(onFailure === undefined ? [] : [{ action: "sqs:SendMessage", resource: onFailure }]),
    ];
    for (const right of needed) {
      const denied = denial(functionName, { ...right, values: {} });
      if (denied !== undefined) throw notDeployable(resource, denied);
    }
    return {
      id: generatedName(resource),
      functionName,
      table: tableName(table),
      source: { streamArn: properties.EventSourceArn, partitionKey: partitionKeyOf(table) },
      lanes: properties.ParallelizationFactor,
      batchSize: properties.BatchSize,
      batch: {
        reportsItemFailures: properties.FunctionResponseTypes.length > 0,
        bisects: properties.BisectBatchOnFunctionError,
        maximumRetries: properties.MaximumRetryAttempts === -1 ? Infinity : properties.MaximumRetryAttempts,
        maximumAgeMs:
          properties.MaximumRecordAgeInSeconds === -1
            ? RETENTION_MS
            : properties.MaximumRecordAgeInSeconds * 1000,
      },
      matches: readFilters(
        resource,
        properties.FilterCriteria.Filters.map(({ Pattern }) => Pattern),
      ),
      onFailure,
    };
  });
}

/** Reads the filters. An event must match one of the patterns, if there are any. */
function readFilters(resource: Resource, texts: readonly string[]): (event: object) => boolean {
  const patterns = texts.map((text, index) => {
    try {
      return readPattern(text);
    } catch (error) {
      throw notEmulated(resource, `FilterCriteria.Filters.${index}.Pattern: ${(error as Error).message}`);
    }
  });
  return (event) => patterns.length === 0 || patterns.some((matches) => matches(event));
}

function partitionKeyOf(table: Resource): string {
  const keys = v.parse(KeySchema, table.property("KeySchema"));
  return keys.find(({ KeyType }) => KeyType === "HASH")?.AttributeName ?? "";
}
