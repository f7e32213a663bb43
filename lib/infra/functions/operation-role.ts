import { type ArnComponents, type CfnElement, Names, Stack, Validations } from "aws-cdk-lib";
import type { WebSocketStage } from "aws-cdk-lib/aws-apigatewayv2";
import type { Table } from "aws-cdk-lib/aws-dynamodb";
import { Effect, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import type { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { pushKeyParameter } from "../../devices/push-key.ts";
import type { OperationName } from "../../operations/operations.ts";
import type { ConnectionAction, KeyAction, Operation } from "../../operations/types.ts";
import { leadingKeysOf, neverExpires, protectedPartitions } from "../../table/keys.ts";
import { type PartitionName, timeToLive } from "../../table/layout.ts";
import type { LeadingKeys } from "../configuration.ts";
import type { Notices } from "../data/notices.ts";
import type { TableChanges } from "../data/table-changes.ts";
import { ofOneWallet, ofOneWalletOn } from "../data/wallet-key.ts";
import { type Openings, openedBy } from "../openings.ts";
import type { Walls } from "../walls/walls.ts";
import { deployedStackName } from "./function-stack.ts";
import { hasNamedRole, roleNameOf } from "./named-roles.ts";
import { planAccess, planWildcards } from "./plan-access.ts";
import { checking, tableActionsOf, transactionPartitionsOf } from "./transactions.ts";

/** Resources that rows can grant rights on. */
export type Resources = {
  table: Table;
  leadingKeys: LeadingKeys;
  key: IKey;
  /** Keys to which users seal private keys. */
  importKeys: readonly IKey[];
  /** Keys that authenticate orders, and children of resting orders. Undefined if no chain trades. */
  macKey: IKey | undefined;
  childMacKey: IKey | undefined;
  openings: Openings;
  /** The operators' event bus, if there is one. */
  noticeBusArn: string | undefined;
  /** Name of the SSM parameter with the keys of hosts, if their URLs name any. */
  hostKeys: string | undefined;
  changes: TableChanges;
  /** Queues that carry notices to notifyOwner. Undefined if devices are off. */
  notices: Notices | undefined;
  /** Stage of the WebSocket connections. */
  stage: WebSocketStage;
};

export type InvokedFunction = Pick<IFunction, "functionName" | "functionArn">;

export type OperationRoleProps = Resources & {
  name: OperationName;
  row: Operation;
  /** Network of the function. Undefined if it is outside the VPC. */
  walls: Walls | undefined;
  invoked: readonly InvokedFunction[];
  logGroup: LogGroup;
};

/**
 * Role of one function. It allows the listed actions on the resources that the row names, and writing the function's
 * own log.
 */
export class OperationRole extends Role {
  constructor(scope: Construct, id: string, props: OperationRoleProps) {
    const { name, row, table, leadingKeys, key, importKeys, openings, noticeBusArn, hostKeys } = props;
    const { macKey, childMacKey, walls, changes, notices, stage, invoked, logGroup } = props;
    const throughWalls = walls && { "aws:SourceVpce": walls.kmsEndpointId };
    const conditionsOfKey: Record<KeyAction, Conditions> = {
      "kms:GenerateDataKey": ofOneWallet,
      "kms:Decrypt": merged(
        ofOneWalletOn(openedBy(openings, row)),
        throughWalls && { StringEquals: throughWalls },
      ),
    };
    super(scope, id, {
      ...(hasNamedRole(row) && { roleName: roleNameOf(deployedStackName(scope), name) }),
      assumedBy: new ServicePrincipal("lambda.amazonaws.com"),
      inlinePolicies: {
        Log: allow(["logs:CreateLogStream", "logs:PutLogEvents"], [logGroup.logGroupArn]),
        ...(row.table.length > 0 && { Table: tableAccess(row, table, leadingKeys) }),
        ...(row.key.length > 0 && {
          Key: new PolicyDocument({
            statements: row.key.map(
              (action) =>
                new PolicyStatement({
                  actions: [action],
                  resources: [key.keyArn],
                  conditions: conditionsOfKey[action],
                }),
            ),
          }),
        }),
        ...(row.importKeys.length > 0 && {
          ImportKeys: allow(
            row.importKeys,
            importKeys.map(({ keyArn }) => keyArn),
          ),
        }),
        ...(row.mac.length > 0 &&
          macKey && {
            Mac: allow(row.mac, [macKey.keyArn], throughWalls && { StringEquals: throughWalls }),
          }),
        ...(row.childMac.length > 0 &&
          childMacKey && {
            ChildMac: allow(
              row.childMac,
              [childMacKey.keyArn],
              throughWalls && { StringEquals: throughWalls },
            ),
          }),
        // Allows managing network interfaces even outside the VPC, because Lambda deletes the interfaces of a function
        // that has just left the VPC.
        ...(row.opensWallets && { Network: networkInterfaces() }),
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
        ...(row.notices && noticeBusArn && { Notices: allow(["events:PutEvents"], [noticeBusArn]) }),
        // Needs no right to decrypt, because the AWS managed key of SSM trusts everybody who may read the parameter.
        ...(row.env.includes("HOST_KEYS") &&
          hostKeys && { HostKeys: allow(["ssm:GetParameter"], [parameterArn(scope, hostKeys)]) }),
        ...(row.plans.length > 0 && { Plans: planAccess(scope, row) }),
        // Gives the function the rights to read the table's stream and to report failures, because Lambda uses the
        // function's rights for both.
        ...(row.kind === "changes" && {
          ReadChanges: allow(streamReading, [changes.streamArn]),
          NoteFailedChanges: allow(["sqs:SendMessage"], [changes.failed.queueArn]),
        }),
        // Lambda uses the function's rights to read queues, too.
        ...(row.kind === "notices" &&
          notices && {
            ReadNotices: allow(queueReading, notices.queueArns),
            Retry: allow(["sqs:SendMessage", "sqs:ChangeMessageVisibility"], [notices.retries.queueArn]),
            PushKey: allow(["ssm:GetParameter"], [parameterArn(scope, pushKeyParameter)]),
          }),
      },
    });
    if (row.opensWallets) Validations.of(this).acknowledge(acknowledgedInterfaces);
    for (const action of row.connections)
      Validations.of(this).acknowledge({
        id: `AwsSolutions-IAM5[Resource::${connectionsInFindings(stage, action)}]`,
        reason: "Connections come and go, and a function pushes to the connections of every user.",
      });
    for (const resource of planWildcards(scope, row.plans))
      Validations.of(this).acknowledge({
        id: `AwsSolutions-IAM5[Resource::${resource}]`,
        reason: "Keys and plans are made when users sign up, with ids that API Gateway chooses.",
      });
  }
}

const parameterArn = (scope: Construct, name: string) =>
  Stack.of(scope).formatArn({ service: "ssm", resource: "parameter", resourceName: name.replace(/^\//, "") });

type Conditions = Record<string, Record<string, unknown>>;

/** Merges conditions. If an operator occurs in both, combines its keys. */
const merged = (conditions: Conditions, more: Conditions = {}): Conditions => ({
  ...conditions,
  ...Object.fromEntries(
    Object.entries(more).map(([operator, keys]) => [operator, { ...conditions[operator], ...keys }]),
  ),
});

function allow(actions: readonly string[], resources: readonly string[], conditions: Conditions = {}) {
  return new PolicyDocument({
    statements: [new PolicyStatement({ actions: [...actions], resources: [...resources], conditions })],
  });
}

/** Actions that delete items, write them or read them, whether or not a row lists them. */
const allDeletions = actionsOf("DeleteItem", "BatchWriteItem", "PartiQLDelete");
const allWrites = [...allDeletions, ...actionsOf("PutItem", "UpdateItem", "PartiQLInsert", "PartiQLUpdate")];
const allReads = actionsOf("GetItem", "BatchGetItem", "Query", "Scan", "ConditionCheckItem", "PartiQLSelect");

function actionsOf(...names: string[]) {
  return names.map((name) => `dynamodb:${name}`);
}

/**
 * Builds the statements about the table. Denies writes of forged items even if the deployment opens no wallets, because
 * such items would be trusted as soon as trading or export is switched on.
 */
function tableAccess(row: Operation, table: Table, leadingKeys: LeadingKeys) {
  const { writes, deletes, reads } = row;
  const named = transactionPartitionsOf(row, leadingKeys);
  const access = allow(tableActionsOf(row, leadingKeys), [table.tableArn]);
  const deny = (denied: readonly string[], conditions: Conditions) =>
    access.addStatements(
      new PolicyStatement({
        effect: Effect.DENY,
        actions: [...denied],
        resources: [table.tableArn],
        conditions,
      }),
    );
  const unread = protectedPartitions.filter((partition) => !reads.includes(partition));
  deny(allWrites, outside(named ?? writes));
  // Lets a deletion name all partitions of its transaction, because IAM may compare it with the keys of every part.
  deny(allDeletions, outside(deletes.length === 0 ? [] : (named ?? deletes)));
  deny(named === undefined ? allReads : allReads.filter((action) => action !== checking), inside(unread));
  // Lets a check name the partitions that the function only writes, because IAM compares a check with all keys of its
  // transaction.
  if (named !== undefined) deny([checking], inside(unread.filter((partition) => !named.includes(partition))));
  // Closes all data but devices to a function that talks to addresses of users' choice.
  if (row.kind === "notices") deny(allReads, outside(reads));
  // Denies setting an expiry, because DynamoDB would delete expired items even where the function may not delete them.
  if (writes.length > 0 && writes.every(neverExpires))
    deny(allWrites, { "ForAnyValue:StringEquals": { "dynamodb:Attributes": [timeToLive] } });
  // Denies requests without keys, which would pass all the conditions set before.
  deny([...allWrites, ...allReads], { Null: { [keysOfRequest]: "true" } });
  return access;
}

const keysOfRequest = "dynamodb:LeadingKeys";

/**
 * Matches a request that names any partition besides these, so that a single key is enough to deny a batch. If no
 * partitions are given, matches every request.
 */
const outside = (partitions: readonly PartitionName[]): Conditions =>
  partitions.length === 0
    ? {}
    : { "ForAnyValue:StringNotLike": { [keysOfRequest]: partitions.map(leadingKeysOf) } };

/** Matches a request that names any of these partitions. */
const inside = (partitions: readonly PartitionName[]): Conditions => ({
  "ForAnyValue:StringLike": { [keysOfRequest]: partitions.map(leadingKeysOf) },
});

const interfaceActions = [
  "ec2:AssignPrivateIpAddresses",
  "ec2:CreateNetworkInterface",
  "ec2:DeleteNetworkInterface",
  "ec2:DescribeNetworkInterfaces",
  "ec2:DescribeSubnets",
  "ec2:UnassignPrivateIpAddresses",
];

/**
 * Gives the function the rights to be attached to a VPC, because Lambda uses the function's rights for this. Denies
 * these calls to the function's own code.
 */
const networkInterfaces = () =>
  new PolicyDocument({
    statements: [
      new PolicyStatement({ actions: interfaceActions, resources: ["*"] }),
      new PolicyStatement({
        effect: Effect.DENY,
        actions: interfaceActions,
        resources: ["*"],
        conditions: { Null: { "lambda:SourceFunctionArn": "false" } },
      }),
    ],
  });

/** Reason for the wildcard in {@link networkInterfaces}. */
const acknowledgedInterfaces = {
  id: "AwsSolutions-IAM5[Resource::*]",
  reason:
    "Lambda makes the network interfaces of a function, with ids that EC2 chooses. The function's own code is denied these calls.",
};

/** ARN of all connections of the stage. */
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

/**
 * ARN of all connections of the stage, in cdk-nag's notation. CDK passes the API's id to a nested stack in a parameter
 * of this name.
 */
const connectionsInFindings = (stage: WebSocketStage, action: ConnectionAction) =>
  connectionsOf(stage, action, {
    partition: "<AWS::Partition>",
    region: "<AWS::Region>",
    account: "<AWS::AccountId>",
    resource: `<referenceto${Names.nodeUniqueId((stage.api.node.defaultChild as CfnElement).node)}Ref>`,
  });

const queueReading = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"];

const streamReading = [
  "dynamodb:DescribeStream",
  "dynamodb:GetRecords",
  "dynamodb:GetShardIterator",
  "dynamodb:ListStreams",
];
