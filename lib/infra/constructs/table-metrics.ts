import { MathExpression, Stats } from "aws-cdk-lib/aws-cloudwatch";
import type { Table } from "aws-cdk-lib/aws-dynamodb";
import type { Operation } from "../../operation-types.ts";
import { operations } from "../../operations.ts";

const actions = Object.values<Operation>(operations).flatMap((row) => row.table);

/** The calls that the functions make. Transactions need no action of that name, but are counted under it. */
const calls = [...new Set(actions.map((action) => action.slice("dynamodb:".length))), "TransactWriteItems"];

/** A metric that DynamoDB keeps per table and call, summed over the calls. */
export function sumOverCalls(table: Table, metricName: "ThrottledRequests" | "SystemErrors"): MathExpression {
  const metricOf = (call: string) =>
    table.metric(metricName, {
      statistic: Stats.SUM,
      dimensionsMap: { TableName: table.tableName, Operation: call },
    });
  return new MathExpression({
    label: metricName,
    // Most of the metrics have no data most of the time: "a + b" would then have none either.
    expression: "SUM(METRICS())",
    usingMetrics: Object.fromEntries(calls.map((call) => [call.toLowerCase(), metricOf(call)])),
  });
}
