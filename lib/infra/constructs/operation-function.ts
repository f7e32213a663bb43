import { Duration } from "aws-cdk-lib";
import type { WebSocketStage } from "aws-cdk-lib/aws-apigatewayv2";
import type { Table } from "aws-cdk-lib/aws-dynamodb";
import type { Key } from "aws-cdk-lib/aws-kms";
import {
  ApplicationLogLevel,
  Architecture,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
} from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import type { Operation } from "../../operation-types.ts";
import type { OperationName } from "../../operations.ts";
import type { Environment } from "../environment.ts";
import { bundledCode } from "./bundled-code.ts";
import { OperationRole } from "./operation-role.ts";
import { RetainedLogGroup } from "./retained-log-group.ts";
import type { TableChanges } from "./table-changes.ts";

/** What functions act on, each as far as its row says. */
export type Surroundings = {
  table: Table;
  key: Key;
  changes: TableChanges;
  /** Where the WebSocket connections are. */
  stage: WebSocketStage;
  environment: Environment;
};

/** The functions that a row invokes, by their rows' names. */
export type Invoked = Readonly<Partial<Record<Operation["invokes"][number], LambdaFunction>>>;

export type OperationFunctionProps = Surroundings & {
  row: Operation;
  invoked: Invoked;
};

/** The function of one row, with a role and a log of its own. Its code is functions/<name>/handler.ts. */
export class OperationFunction extends Construct {
  readonly name: OperationName;
  readonly row: Operation;
  readonly lambda: LambdaFunction;

  constructor(scope: Construct, name: OperationName, props: OperationFunctionProps) {
    super(scope, name);
    const { row, table, key, changes, stage, environment, invoked } = props;
    this.name = name;
    this.row = row;

    const logGroup = new RetainedLogGroup(this, "Log");
    this.lambda = new LambdaFunction(this, "Function", {
      description: row.summary,
      code: bundledCode(name),
      handler: "index.handler",
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: row.memoryMB,
      // No concurrency is reserved: it would be taken from the other functions of the account, whose limit may be as low as
      // 10. One shard of the stream is one run of mirrorPlans at a time, and the SDK slows down as API Gateway tells it to.
      timeout: Duration.seconds(row.timeoutSeconds),
      environment: {
        ...(row.table.length > 0 && { TABLE_NAME: table.tableName }),
        ...(row.key.length > 0 && { KEY_ID: key.keyArn }),
        // The SDK's own variable, so that no code names an endpoint.
        ...(row.connections.length > 0 && { AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI: stage.callbackUrl }),
        ...(invoked.deliver && { DELIVER_FUNCTION: invoked.deliver.functionName }),
        ...Object.fromEntries(row.env.map((name) => [name, environment[name]])),
      },
      role: new OperationRole(this, "Role", { row, table, key, changes, stage, invoked, logGroup }),
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      applicationLogLevelV2: ApplicationLogLevel.INFO,
      systemLogLevelV2: SystemLogLevel.WARN,
    });
  }
}
