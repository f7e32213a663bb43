import { isDeepStrictEqual } from "node:util";
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  ResourceNotFoundException,
  type StreamViewType,
  type TableDescription,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import type { Resource } from "../cloudformation/resource.ts";
import { tableName } from "../cloudformation/resource-types.ts";
import { StartupError } from "../startup-error.ts";

/** Properties of an AWS::DynamoDB::Table that have an effect on one machine. */
type TableProperties = Pick<
  CreateTableCommandInput,
  | "AttributeDefinitions"
  | "BillingMode"
  | "GlobalSecondaryIndexes"
  | "KeySchema"
  | "LocalSecondaryIndexes"
  | "ProvisionedThroughput"
> & {
  StreamSpecification?: { StreamViewType: StreamViewType };
  TimeToLiveSpecification?: { AttributeName: string; Enabled: boolean };
};

const WAIT_SECONDS = 30;

/**
 * Creates the table of a resource, unless it exists.
 * @throws {StartupError} if it exists with other keys, other indexes or another stream
 */
export async function ensureTable(client: DynamoDBClient, resource: Resource): Promise<void> {
  const wanted = creation(resource);
  const existing = await describe(client, wanted.TableName);
  if (existing === undefined) {
    await client.send(new CreateTableCommand(wanted));
    await waitUntilTableExists({ client, maxWaitTime: WAIT_SECONDS }, { TableName: wanted.TableName });
  } else if (!isDeepStrictEqual(shape(existing), shape(wanted))) {
    throw new StartupError(
      `The keys, indexes or stream of the stored table ${wanted.TableName} differ from the template; choose another --data-dir.`,
    );
  }
  await ensureTimeToLive(client, resource);
}

function creation(resource: Resource): CreateTableCommandInput & { TableName: string } {
  const { StreamSpecification, ...properties } = resource.properties() as TableProperties;
  return {
    TableName: tableName(resource),
    AttributeDefinitions: properties.AttributeDefinitions,
    BillingMode: properties.BillingMode,
    GlobalSecondaryIndexes: properties.GlobalSecondaryIndexes,
    KeySchema: properties.KeySchema,
    LocalSecondaryIndexes: properties.LocalSecondaryIndexes,
    ProvisionedThroughput: properties.ProvisionedThroughput,
    StreamSpecification: StreamSpecification && { StreamEnabled: true, ...StreamSpecification },
  };
}

/**
 * Selects the properties that must be equal in a stored table and its template. The runner does not change them in
 * place.
 */
function shape({
  KeySchema,
  GlobalSecondaryIndexes = [],
  LocalSecondaryIndexes = [],
  StreamSpecification,
}: CreateTableCommandInput | TableDescription) {
  const indexes = [...GlobalSecondaryIndexes, ...LocalSecondaryIndexes].map(
    (index) => [index.IndexName, index.KeySchema] as const,
  );
  return { KeySchema, indexes: new Map(indexes), stream: StreamSpecification?.StreamViewType };
}

async function describe(client: DynamoDBClient, TableName: string): Promise<TableDescription | undefined> {
  try {
    return (await client.send(new DescribeTableCommand({ TableName }))).Table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

async function ensureTimeToLive(client: DynamoDBClient, resource: Resource): Promise<void> {
  const { TimeToLiveSpecification } = resource.properties() as TableProperties;
  if (!TimeToLiveSpecification?.Enabled) return;
  const TableName = tableName(resource);
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
  if (TimeToLiveDescription?.TimeToLiveStatus === "ENABLED") return;
  await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
}
