import {
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  ResourceNotFoundException,
  type TableDescription,
  UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb";
import { mockClient } from "aws-sdk-client-mock";
import { beforeEach, describe, expect, it } from "vitest";
import type { Resource } from "../../src/cloudformation/resource.ts";
import { ensureTable } from "../../src/dynamodb/tables.ts";
import { StartupError } from "../../src/startup-error.ts";

const properties: Record<string, unknown> = {
  AttributeDefinitions: [{ AttributeName: "PK", AttributeType: "S" }],
  BillingMode: "PAY_PER_REQUEST",
  KeySchema: [{ AttributeName: "PK", KeyType: "HASH" }],
  GlobalSecondaryIndexes: [
    { IndexName: "Tier", KeySchema: [{ AttributeName: "tier", KeyType: "HASH" }], Projection: {} },
  ],
  StreamSpecification: { StreamViewType: "NEW_AND_OLD_IMAGES" },
  TimeToLiveSpecification: { AttributeName: "expiresAt", Enabled: true },
  PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
  DeletionProtectionEnabled: true,
};

const resource: Resource = {
  stackName: "S",
  logicalId: "Table",
  type: "AWS::DynamoDB::Table",
  property: (name) => properties[name],
  properties: () => properties,
  comesAfter: () => false,
};

const stored: TableDescription = {
  TableStatus: "ACTIVE",
  KeySchema: [{ AttributeName: "PK", KeyType: "HASH" }],
  GlobalSecondaryIndexes: [
    { IndexName: "Tier", IndexStatus: "ACTIVE", KeySchema: [{ AttributeName: "tier", KeyType: "HASH" }] },
  ],
  StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" },
};

const dynamodb = mockClient(DynamoDBClient);
const ensure = () => ensureTable(new DynamoDBClient({ region: "us-east-1" }), resource);

beforeEach(() => {
  dynamodb.reset();
  dynamodb.on(DescribeTimeToLiveCommand).resolves({ TimeToLiveDescription: { TimeToLiveStatus: "ENABLED" } });
});

describe("ensureTable", () => {
  it("creates a missing table with the properties that have an effect on one machine", async () => {
    dynamodb
      .on(DescribeTableCommand)
      .rejectsOnce(new ResourceNotFoundException({ message: "", $metadata: {} }))
      .resolves({ Table: stored });
    dynamodb.on(DescribeTimeToLiveCommand).resolves({});
    await ensure();
    expect(dynamodb.commandCalls(CreateTableCommand)[0]?.args[0].input).toEqual({
      TableName: "S-Table",
      AttributeDefinitions: properties.AttributeDefinitions,
      BillingMode: "PAY_PER_REQUEST",
      KeySchema: properties.KeySchema,
      GlobalSecondaryIndexes: properties.GlobalSecondaryIndexes,
      StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" },
    });
    expect(dynamodb.commandCalls(UpdateTimeToLiveCommand)[0]?.args[0].input).toEqual({
      TableName: "S-Table",
      TimeToLiveSpecification: { AttributeName: "expiresAt", Enabled: true },
    });
  });

  it("leaves an existing table unchanged", async () => {
    dynamodb.on(DescribeTableCommand).resolves({ Table: stored });
    await ensure();
    expect(dynamodb.commandCalls(CreateTableCommand)).toEqual([]);
    expect(dynamodb.commandCalls(UpdateTimeToLiveCommand)).toEqual([]);
  });

  it.each<[string, TableDescription]>([
    ["keys", { KeySchema: [{ AttributeName: "id", KeyType: "HASH" }] }],
    ["indexes", { GlobalSecondaryIndexes: [] }],
    ["stream", { StreamSpecification: { StreamEnabled: true, StreamViewType: "KEYS_ONLY" } }],
  ])("rejects a stored table that differs from the template in its %s", async (_, change) => {
    dynamodb.on(DescribeTableCommand).resolves({ Table: { ...stored, ...change } });
    await expect(ensure()).rejects.toThrow(StartupError);
    await expect(ensure()).rejects.toThrow(
      /^The keys, indexes or stream of the stored table S-Table differ.*choose another --data-dir\.$/,
    );
  });
});
