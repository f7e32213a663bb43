import type { Stage } from "aws-cdk-lib/aws-apigateway";
import type { Table } from "aws-cdk-lib/aws-dynamodb";
import type { Endpoint } from "./endpoint.ts";
import type { OperationFunction } from "./operation-function.ts";

/** What the alarms and the dashboard look at. */
export type Watched = {
  endpoints: readonly Endpoint[];
  authorizer: OperationFunction;
  stage: Stage;
  table: Table;
};
