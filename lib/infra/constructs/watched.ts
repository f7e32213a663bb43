import type { Stage } from "aws-cdk-lib/aws-apigateway";
import type { WebSocketStage } from "aws-cdk-lib/aws-apigatewayv2";
import type { Table } from "aws-cdk-lib/aws-dynamodb";
import type { ScheduleRow } from "../../operation-types.ts";
import type { Endpoint } from "./endpoint.ts";
import type { OperationFunctions } from "./operation-functions.ts";
import type { TableChanges } from "./table-changes.ts";

/** What the alarms and the dashboard look at. */
export type Watched = {
  endpoints: readonly Endpoint[];
  functions: OperationFunctions;
  stage: Stage;
  stream: WebSocketStage;
  changes: TableChanges;
  table: Table;
  /** Whether a schedule is switched on. */
  isOn: (row: ScheduleRow) => boolean;
};
