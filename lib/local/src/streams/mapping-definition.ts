import * as v from "valibot";
import { notEmulated, type Resource, readProperties, resolved } from "../cloudformation/resource.ts";
import { generatedName, tableName, tableStreamArn } from "../cloudformation/resource-types.ts";
import type { Resources } from "../cloudformation/resources.ts";
import { onFailure, requireQueue } from "../events/destination.ts";
import type { Queues } from "../events/queues.ts";
import { nameIn } from "../lambda/lambda.ts";
import type { ChangeSource } from "./change.ts";
import { readPattern } from "./filter-pattern.ts";
import type { LaneSettings } from "./lane.ts";
import type { BatchSettings } from "./process-batch.ts";

/** An event source mapping of a table's stream. */
export type MappingDefinition = {
  /** Stays the same from run to run. */
  id: string;
  functionName: string;
  table: string;
  source: ChangeSource;
  startingPosition: "LATEST" | "TRIM_HORIZON";
  /** Batches of one shard that are handled at the same time. */
  lanes: number;
  lane: LaneSettings;
  batch: BatchSettings;
  matches: (event: object) => boolean;
  /** ARN of the queue that is told of what was given up. */
  onFailure: string | undefined;
};

/** Milliseconds for which the stream keeps a record: there is no trying again after that. */
const KEPT = 24 * 3600_000;

const between = (least: number, most: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(most));
const unlimited = v.literal(-1);

const Mapping = v.strictObject({
  EventSourceArn: v.string(),
  FunctionName: v.string(),
  StartingPosition: v.picklist(["LATEST", "TRIM_HORIZON"]),
  Enabled: v.optional(v.boolean(), true),
  BatchSize: v.optional(between(1, 10_000), 100),
  MaximumBatchingWindowInSeconds: v.optional(between(0, 300), 0),
  ParallelizationFactor: v.optional(between(1, 10), 1),
  FilterCriteria: v.optional(
    v.strictObject({ Filters: v.optional(v.array(v.strictObject({ Pattern: v.string() })), []) }),
    {},
  ),
  FunctionResponseTypes: v.optional(v.array(v.literal("ReportBatchItemFailures")), []),
  BisectBatchOnFunctionError: v.optional(v.boolean(), false),
  MaximumRetryAttempts: v.optional(v.union([unlimited, between(0, 10_000)]), -1),
  MaximumRecordAgeInSeconds: v.optional(v.union([unlimited, between(60, 604_800)]), -1),
  DestinationConfig: onFailure,
  Tags: v.optional(v.unknown()),
});

const KeySchema = v.array(v.object({ AttributeName: v.string(), KeyType: v.string() }));

/**
 * The event source mappings of the stacks that are switched on.
 * @throws StartupError that names the mapping and what of it is not emulated, or is not there
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
  return resources
    .ofType("AWS::Lambda::EventSourceMapping")
    .map((resource) => {
      const stated = readProperties(Mapping, resolved(resource));
      const table = tables.get(stated.EventSourceArn);
      if (table === undefined) throw notEmulated(resource, "EventSourceArn: it is not the stream of a table");
      if (!hasFunction(stated.FunctionName)) {
        throw notEmulated(resource, `FunctionName: there is no function ${stated.FunctionName}`);
      }
      requireQueue(queues, stated.DestinationConfig, resource, "DestinationConfig.OnFailure.Destination");
      return { resource, stated, table };
    })
    .filter(({ stated }) => stated.Enabled)
    .map(({ resource, stated, table }) => ({
      id: generatedName(resource),
      functionName: nameIn(stated.FunctionName),
      table: tableName(table),
      source: { streamArn: stated.EventSourceArn, partitionKey: partitionKeyOf(table) },
      startingPosition: stated.StartingPosition,
      lanes: stated.ParallelizationFactor,
      lane: { batchSize: stated.BatchSize, window: stated.MaximumBatchingWindowInSeconds * 1000 },
      batch: {
        reportsItemFailures: stated.FunctionResponseTypes.length > 0,
        bisects: stated.BisectBatchOnFunctionError,
        maximumRetries: stated.MaximumRetryAttempts === -1 ? Infinity : stated.MaximumRetryAttempts,
        maximumAge: stated.MaximumRecordAgeInSeconds === -1 ? KEPT : stated.MaximumRecordAgeInSeconds * 1000,
      },
      matches: readFilters(
        resource,
        stated.FilterCriteria.Filters.map(({ Pattern }) => Pattern),
      ),
      onFailure: stated.DestinationConfig,
    }));
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
