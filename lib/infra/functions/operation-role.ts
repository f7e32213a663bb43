import { type ArnComponents, type CfnElement, Stack, Validations } from "aws-cdk-lib";
import type { WebSocketStage } from "aws-cdk-lib/aws-apigatewayv2";
import type { Table } from "aws-cdk-lib/aws-dynamodb";
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { Key } from "aws-cdk-lib/aws-kms";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import type { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import type { ConnectionAction, Operation } from "../../operation-types.ts";
import type { TableChanges } from "../data/table-changes.ts";
import { ofOneWallet } from "../data/wallet-key.ts";
import { planAccess, planWildcards } from "./plan-access.ts";

/** What functions may act on, each as far as its row allows. */
export type Resources = {
  table: Table;
  key: Key;
  /** Exists where chains trade. */
  macKey: Key | undefined;
  changes: TableChanges;
  /** The stage of the WebSocket connections. */
  stage: WebSocketStage;
};

export type OperationRoleProps = Resources & {
  row: Operation;
  invoked: readonly IFunction[];
  logGroup: LogGroup;
};

/** The role of one function. It allows what the row lists on the resources that the row names, and its own log. */
export class OperationRole extends Role {
  constructor(scope: Construct, id: string, props: OperationRoleProps) {
    const { row, table, key, macKey, changes, stage, invoked, logGroup } = props;
    super(scope, id, {
      assumedBy: new ServicePrincipal("lambda.amazonaws.com"),
      inlinePolicies: {
        Log: allow(["logs:CreateLogStream", "logs:PutLogEvents"], [logGroup.logGroupArn]),
        ...(row.table.length > 0 && { Table: allow(row.table, [table.tableArn]) }),
        ...(row.key.length > 0 && { Key: allow(row.key, [key.keyArn], ofOneWallet) }),
        ...(row.mac.length > 0 && macKey && { Mac: allow(row.mac, [macKey.keyArn]) }),
        ...(row.connections.length > 0 && {
          Connections: allow(
            ["execute-api:ManageConnections"],
            row.connections.map((action) => connectionsOf(stage, action)),
          ),
        }),
        ...(invoked.length > 0 && {
          Invoke: allow(
            ["lambda:InvokeFunction"],
            invoked.map(({ functionArn }) => functionArn),
          ),
        }),
        ...(row.plans.length > 0 && { Plans: planAccess(scope, row.plans) }),
        // Lambda reads the table's stream, and reports failures, with the rights of the function.
        ...(row.kind === "changes" && {
          ReadChanges: allow(streamReading, [changes.streamArn]),
          NoteFailedChanges: allow(["sqs:SendMessage"], [changes.failed.queueArn]),
        }),
      },
    });
    for (const action of row.connections)
      Validations.of(this).acknowledge({
        id: `AwsSolutions-IAM5[Resource::${connectionsInFindings(stage, action)}]`,
        reason: "Connections come and go, and a function pushes to those of every user.",
      });
    for (const resource of planWildcards(scope, row.plans))
      Validations.of(this).acknowledge({
        id: `AwsSolutions-IAM5[Resource::${resource}]`,
        reason: "Keys and plans are made when users sign up, with ids that API Gateway chooses.",
      });
  }
}

function allow(
  actions: readonly string[],
  resources: readonly string[],
  conditions: Record<string, unknown> = {},
) {
  return new PolicyDocument({
    statements: [new PolicyStatement({ actions: [...actions], resources: [...resources], conditions })],
  });
}

/** All connections of the stage. */
const connectionsOf = (
  stage: WebSocketStage,
  action: ConnectionAction,
  reference: Partial<ArnComponents> = {},
) =>
  Stack.of(stage).formatArn({
    service: "execute-api",
    resource: stage.api.apiId,
    resourceName: `${stage.stageName}/${action}/@connections/*`,
    ...reference,
  });

/** The same in cdk-nag's notation for references. */
const connectionsInFindings = (stage: WebSocketStage, action: ConnectionAction) =>
  connectionsOf(stage, action, {
    partition: "<AWS::Partition>",
    region: "<AWS::Region>",
    account: "<AWS::AccountId>",
    resource: `<${Stack.of(stage).getLogicalId(stage.api.node.defaultChild as CfnElement)}>`,
  });

const streamReading = [
  "dynamodb:DescribeStream",
  "dynamodb:GetRecords",
  "dynamodb:GetShardIterator",
  "dynamodb:ListStreams",
];
