import { describe, expect, it } from "vitest";
import { accessRequestsOf, type LeadingKeys, readTableKeys } from "../../src/dynamodb/access-requests.ts";
import { resourcesOf } from "../cloudformation/stack.ts";

const hash = (AttributeName: string) => [{ AttributeName, KeyType: "HASH" }];
const tables = readTableKeys(
  resourcesOf({
    T: {
      Type: "AWS::DynamoDB::Table",
      Properties: {
        TableName: "t",
        KeySchema: [{ AttributeName: "SK", KeyType: "RANGE" }, ...hash("PK")],
        GlobalSecondaryIndexes: [{ IndexName: "byOwner", KeySchema: hash("owner") }],
      },
    },
  }),
);
const arn = "arn:aws:dynamodb:us-east-1:000000000000:table/t";
const item = (PK: string) => ({ PK: { S: PK }, SK: { S: "s" }, owner: { S: "o" } });
const TableName = "t";

/** Lists action, resource and leading keys of each request. */
const summary = (operation: string, body: unknown, leadingKeys?: LeadingKeys) =>
  accessRequestsOf(operation, body, tables, leadingKeys)?.map(({ action, resource, values }) => [
    action.replace("dynamodb:", ""),
    resource.replace(arn, "t"),
    values["dynamodb:LeadingKeys"],
  ]);

describe("accessRequestsOf", () => {
  it.each<[string, object, unknown[]]>([
    ["PutItem", { TableName, Item: item("a") }, ["PutItem", "t", ["a"]]],
    ["UpdateItem", { TableName: arn, Key: item("a") }, ["UpdateItem", "t", ["a"]]],
    ["DeleteItem", { TableName, Key: { PK: { N: "7" } } }, ["DeleteItem", "t", ["7"]]],
    ["Scan", { TableName }, ["Scan", "t", undefined]],
    ["Scan", { TableName, IndexName: "byOwner" }, ["Scan", "t/index/byOwner", undefined]],
    ["DescribeTable", { TableName }, ["DescribeTable", "t", undefined]],
    ["ListTables", {}, ["ListTables", "*", undefined]],
    [
      "BatchGetItem",
      { RequestItems: { t: { Keys: [item("a"), item("b")] } } },
      ["BatchGetItem", "t", ["a", "b"]],
    ],
    [
      "BatchWriteItem",
      {
        RequestItems: {
          t: [{ PutRequest: { Item: item("a") } }, { DeleteRequest: { Key: item("b") } }],
        },
      },
      ["BatchWriteItem", "t", ["a", "b"]],
    ],
  ])("makes one request for %s with %o", (operation, body, expected) => {
    expect(summary(operation, body)).toEqual([expected]);
  });

  it.each<[string, object, string[] | undefined]>([
    ["PutItem", { TableName, Item: item("a") }, ["PK", "SK", "owner"]],
    ["UpdateItem", { TableName, Key: { PK: { S: "a" } } }, undefined],
    [
      "UpdateItem",
      {
        TableName,
        Key: { PK: { S: "a" } },
        UpdateExpression: "SET #a = :a REMOVE b",
        ExpressionAttributeNames: { "#a": "ttl" },
      },
      ["PK", "ttl", "b"],
    ],
  ])("lists the attributes that %s writes in %o", (operation, body, expected) => {
    const [request] = accessRequestsOf(operation, body, tables) ?? [];
    expect(request?.values["dynamodb:Attributes"]).toEqual(expected);
  });

  it("makes a request for each part of a transaction, with the part's own action", () => {
    const parts = [
      { Put: { TableName, Item: item("a") } },
      { Update: { TableName, Key: item("b") } },
      { Delete: { TableName, Key: item("c") } },
      { ConditionCheck: { TableName, Key: item("d") } },
    ];
    expect(summary("TransactWriteItems", { TransactItems: parts })).toEqual([
      ["PutItem", "t", ["a"]],
      ["UpdateItem", "t", ["b"]],
      ["DeleteItem", "t", ["c"]],
      ["ConditionCheckItem", "t", ["d"]],
    ]);
    const gets = { TransactItems: [{ Get: { TableName, Key: item("a") } }] };
    expect(summary("TransactGetItems", gets)).toEqual([["GetItem", "t", ["a"]]]);
    expect(accessRequestsOf("TransactGetItems", gets, tables)?.[0]?.values).toMatchObject({
      "dynamodb:EnclosingOperation": ["TransactGetItems"],
    });
  });

  it("gives each part the keys of the whole transaction or batch if configured", () => {
    const parts = [
      { Put: { TableName, Item: item("a") } },
      { ConditionCheck: { TableName, Key: item("b") } },
    ];
    const all = ["a", "b"];
    expect(summary("TransactWriteItems", { TransactItems: parts }, "whole-request")).toEqual([
      ["PutItem", "t", all],
      ["ConditionCheckItem", "t", all],
    ]);
    const gets = { TransactItems: all.map((PK) => ({ Get: { TableName, Key: item(PK) } })) };
    expect(summary("TransactGetItems", gets, "whole-request")).toEqual([
      ["GetItem", "t", all],
      ["GetItem", "t", all],
    ]);
    const batch = { RequestItems: { t: { Keys: [item("a")] }, [arn]: { Keys: [item("b")] } } };
    expect(summary("BatchGetItem", batch, "whole-request")).toEqual([
      ["BatchGetItem", "t", all],
      ["BatchGetItem", "t", all],
    ]);
    expect(summary("PutItem", { TableName, Item: item("a") }, "whole-request")).toEqual([
      ["PutItem", "t", ["a"]],
    ]);
    expect(summary("Scan", { TableName }, "whole-request")).toEqual([["Scan", "t", undefined]]);
  });

  const values = { ":p": { S: "a" }, ":s": { S: "b" } };
  it.each<[string, object, unknown]>([
    ["PK = :p", {}, ["a"]],
    ["PK=:p AND begins_with(SK, :s)", {}, ["a"]],
    ["(SK = :s) AND (#p = :p)", { "#p": "PK" }, ["a"]],
    [":p = #p", { "#p": "PK" }, ["a"]],
    ["#p = :s", { "#p": "SK" }, undefined],
  ])("finds the partition that the query %j reads", (KeyConditionExpression, names, expected) => {
    const query = {
      TableName,
      KeyConditionExpression,
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: values,
    };
    expect(summary("Query", query)).toEqual([["Query", "t", expected]]);
  });

  it("finds the partition of an index, and of a query with KeyConditions", () => {
    const ofIndex = {
      TableName,
      IndexName: "byOwner",
      KeyConditionExpression: "owner = :p",
      ExpressionAttributeValues: values,
    };
    expect(summary("Query", ofIndex)).toEqual([["Query", "t/index/byOwner", ["a"]]]);
    const older = { PK: { ComparisonOperator: "EQ", AttributeValueList: [{ S: "a" }] } };
    expect(summary("Query", { TableName, KeyConditions: older })).toEqual([["Query", "t", ["a"]]]);
  });

  it("reads no PartiQL statements", () => {
    for (const operation of ["ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction"])
      expect(accessRequestsOf(operation, {}, tables)).toBeUndefined();
  });

  it.each(["TransactWriteItems", "BatchWriteItem", "BatchGetItem", "Query", "PutItem"])(
    "accepts any body for %s, since DynamoDB itself refuses malformed calls",
    (operation) => {
      const odd = [
        undefined,
        null,
        7,
        "x",
        [],
        { TransactItems: 7 },
        { TransactItems: [null, { Put: null }] },
      ];
      const bodies = [
        ...odd,
        { RequestItems: { t: null } },
        { RequestItems: { t: [null] } },
        { Item: { PK: null } },
      ];
      for (const body of [...bodies, { TableName: "t", Item: { PK: 5 }, KeyConditionExpression: {} }])
        expect(Array.isArray(accessRequestsOf(operation, body, tables))).toBe(true);
    },
  );
});
