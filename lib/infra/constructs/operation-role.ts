import type { Table } from "aws-cdk-lib/aws-dynamodb";
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { Key } from "aws-cdk-lib/aws-kms";
import type { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import type { Binding } from "../../aws/container.ts";
import type { Operation } from "../../operations.ts";

/** What an operation's function acts on, each only as far as its row says. */
export type OperationRoleProps = { row: Operation; table: Table; key: Key; logGroup: LogGroup };

/** The role of one function. It may write its own log, and do to the table and the key what the row lists. */
export class OperationRole extends Role {
  constructor(scope: Construct, id: string, { row, table, key, logGroup }: OperationRoleProps) {
    super(scope, id, {
      assumedBy: new ServicePrincipal("lambda.amazonaws.com"),
      inlinePolicies: {
        Log: allow(["logs:CreateLogStream", "logs:PutLogEvents"], logGroup.logGroupArn),
        ...(row.table.length > 0 && { Table: allow(row.table, table.tableArn) }),
        ...(row.key.length > 0 && { Key: allow(row.key, key.keyArn, boundToWallet) }),
      },
    });
  }
}

function allow(actions: readonly string[], resource: string, conditions: Record<string, unknown> = {}) {
  return new PolicyDocument({
    statements: [new PolicyStatement({ actions: [...actions], resources: [resource], conditions })],
  });
}

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
