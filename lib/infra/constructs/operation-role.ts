import { type ArnComponents, type CfnElement, Stack, Validations } from "aws-cdk-lib";
import type { WebSocketStage } from "aws-cdk-lib/aws-apigatewayv2";
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import type { Binding } from "../../aws/container.ts";
import type { ConnectionAction } from "../../operation-types.ts";
import type { OperationFunctionProps } from "./operation-function.ts";
import { planAccess, planWildcards } from "./plan-access.ts";

/** What an operation's function acts on, each only as far as its row says. */
export type OperationRoleProps = Omit<OperationFunctionProps, "environment"> & { logGroup: LogGroup };

/** The role of one function. It may write its own log, and do what the row lists to what the row lists. */
export class OperationRole extends Role {
  constructor(scope: Construct, id: string, props: OperationRoleProps) {
    const { row, table, key, changes, stage, invoked, logGroup } = props;
    const invokable = Object.values(invoked).map(({ functionArn }) => functionArn);
    super(scope, id, {
      assumedBy: new ServicePrincipal("lambda.amazonaws.com"),
      inlinePolicies: {
        Log: allow(["logs:CreateLogStream", "logs:PutLogEvents"], [logGroup.logGroupArn]),
        ...(row.table.length > 0 && { Table: allow(row.table, [table.tableArn]) }),
        ...(row.key.length > 0 && { Key: allow(row.key, [key.keyArn], boundToWallet) }),
        ...(row.connections.length > 0 && {
          Connections: allow(
            ["execute-api:ManageConnections"],
            row.connections.map((action) => connectionsOf(stage, action)),
          ),
        }),
        ...(invokable.length > 0 && { Invoke: allow(["lambda:InvokeFunction"], invokable) }),
        ...(row.plans.length > 0 && { Plans: planAccess(scope, row.plans) }),
        // Lambda reads the stream and notes failures in the function's name.
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
        reason: "Keys and plans are made as users come, with ids that API Gateway chooses.",
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

/** Every connection of the stage, to send to or to close. */
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

/** The same as cdk-nag writes it, which has a notation of its own for references. */
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

const bindingKeys = { userID: true, walletID: true, network: true, address: true } satisfies Record<
  keyof Binding,
  true
>;

/** A data key is made for a wallet or not at all: the request names what the key is bound to, and nothing else. */
const boundToWallet = {
  "ForAllValues:StringEquals": { "kms:EncryptionContextKeys": Object.keys(bindingKeys) },
  // ForAllValues is also true of a request without a context.
  Null: { "kms:EncryptionContextKeys": "false" },
};
