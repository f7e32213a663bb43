import * as v from "valibot";
import { notEmulated, type Resource, readProperties, resolved } from "../cloudformation/resource.ts";
import { generatedName, tableName, tableStreamArn } from "../cloudformation/resource-types.ts";
import type { Resources } from "../cloudformation/resources.ts";
import { nameIn } from "../lambda/lambda.ts";
import type { ChangeSource } from "./change.ts";
import { readPattern } from "./filter-pattern.ts";
import type { BatchOptions } from "./process-batch.ts";
import type { Queues } from "./queues.ts";

/** An event source mapping from a table's stream to a function. It starts at the oldest record. */
export type MappingDefinition = {
  /** The same in every run. */
  id: string;
  functionName: string;
  table: string;
  source: ChangeSource;
  /** Batches of one shard that are handled at a time. */
  lanes: number;
  /** Records in a batch, at most. */
  batchSize: number;
  batch: BatchOptions;
  matches: (event: object) => boolean;
  /** ARN of the queue for changes that were given up. */
  onFailure: string | undefined;
};

/** A stream keeps its records for a day, which ends every retry. */
const KEPT_MS = 24 * 3600_000;

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

/**
 * The event source mappings of the stacks.
 * @throws StartupError that names the mapping and the property that is not emulated, or that refers to nothing
 */
export function readMappings(
  resources: Resources,
  hasFunction: (nameOrArn: string) => boolean,
  queues: Pick<Queues, "has">,
): MappingDefinition[] {
  const tables = new Map(
    resources
      .ofType("AWS::DynamoDB::Table")
      .filter((table) => table.property("StreamSpecification") !== undefined)
      .map((table) => [tableStreamArn(table), table]),
  );
  return resources.ofType("AWS::Lambda::EventSourceMapping").map((resource) => {
    const stated = readProperties(Mapping, resolved(resource));
    const table = tables.get(stated.EventSourceArn);
    if (table === undefined) throw notEmulated(resource, "EventSourceArn: it is not the stream of a table");
    if (!hasFunction(stated.FunctionName)) {
      throw notEmulated(resource, `FunctionName: there is no function ${stated.FunctionName}`);
    }
    const onFailure = stated.DestinationConfig.OnFailure?.Destination;
    if (onFailure !== undefined && !queues.has(onFailure)) {
      throw notEmulated(resource, `DestinationConfig.OnFailure.Destination: there is no queue ${onFailure}`);
    }
    return {
      id: generatedName(resource),
      functionName: nameIn(stated.FunctionName),
      table: tableName(table),
      source: { streamArn: stated.EventSourceArn, partitionKey: partitionKeyOf(table) },
      lanes: stated.ParallelizationFactor,
      batchSize: stated.BatchSize,
      batch: {
        reportsItemFailures: stated.FunctionResponseTypes.length > 0,
        bisects: stated.BisectBatchOnFunctionError,
        maximumRetries: stated.MaximumRetryAttempts === -1 ? Infinity : stated.MaximumRetryAttempts,
        maximumAgeMs:
          stated.MaximumRecordAgeInSeconds === -1 ? KEPT_MS : stated.MaximumRecordAgeInSeconds * 1000,
      },
      matches: readFilters(
        resource,
        stated.FilterCriteria.Filters.map(({ Pattern }) => Pattern),
      ),
      onFailure,
    };
  });
}

/** An event has to match one of the patterns, if there are any. */
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
