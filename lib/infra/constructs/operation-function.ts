import { Duration } from "aws-cdk-lib";
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
import type { Operation, OperationName } from "../../operations.ts";
import type { Settings } from "../settings.ts";
import { bundledCode } from "./bundled-code.ts";
import { OperationRole } from "./operation-role.ts";
import { RetainedLogGroup } from "./retained-log-group.ts";

export type OperationFunctionProps = { row: Operation; table: Table; key: Key; settings: Settings };

/** The function of one row, with a role and a log of its own. Its code is functions/<name>/handler.ts. */
export class OperationFunction extends Construct {
  readonly name: OperationName;
  readonly row: Operation;
  readonly lambda: LambdaFunction;

  constructor(scope: Construct, name: OperationName, { row, table, key, settings }: OperationFunctionProps) {
    super(scope, name);
    this.name = name;
    this.row = row;

    const logGroup = new RetainedLogGroup(this, "Log");
    this.lambda = new LambdaFunction(this, "Function", {
      description: row.summary,
      code: bundledCode(name),
      handler: "index.handler",
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: row.memorySize,
      timeout: Duration.seconds(row.timeout),
      environment: {
        ...(row.table.length > 0 && { TABLE_NAME: table.tableName }),
        ...(row.key.length > 0 && { KEY_ID: key.keyArn }),
        ...Object.fromEntries(row.settings.map((setting) => [setting, settings[setting]])),
      },
      role: new OperationRole(this, "Role", { row, table, key, logGroup }),
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      applicationLogLevelV2: ApplicationLogLevel.INFO,
      systemLogLevelV2: SystemLogLevel.WARN,
    });
  }
}
