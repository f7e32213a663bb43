import { CfnOutput, RemovalPolicy, Stack, type StackProps } from "aws-cdk-lib";
import { AttributeType, BillingMode, StreamViewType, Table } from "aws-cdk-lib/aws-dynamodb";
import type { Key } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";
import type { Issuer } from "../runtime/token-verifier.ts";
import type { Configuration } from "./config.ts";
import { UserDirectory } from "./data/user-directory.ts";
import { WalletKey } from "./data/wallet-key.ts";

export type DataStackProps = Pick<StackProps, "tags"> & { configuration: Configuration };

/** Everything that cannot be made again: the table, the key and, if no issuer is configured, the users' sign-ins. */
export class DataStack extends Stack {
  /** The one table of the service. lib/aws/table-keys.ts has the layout of its items. */
  readonly table: Table;
  readonly key: Key;
  /** The configured issuer, else the user pool of this stack. */
  readonly issuer: Issuer;

  constructor(scope: Construct, id: string, { configuration, ...props }: DataStackProps) {
    super(scope, id, {
      ...props,
      description: "Trading terminal: users, wallets and settings, and the key that guards them",
      terminationProtection: true,
    });

    this.table = new Table(this, "Table", {
      partitionKey: { name: "PK", type: AttributeType.STRING },
      sortKey: { name: "SK", type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      timeToLiveAttribute: "expiresAt",
      stream: StreamViewType.NEW_AND_OLD_IMAGES,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    this.key = new WalletKey(this, "Key");
    new CfnOutput(this, "TableName", { value: this.table.tableName });
    new CfnOutput(this, "KeyId", { value: this.key.keyArn });

    if (configuration.issuer) {
      this.issuer = configuration.issuer;
    } else {
      const { pool, client, issuer } = new UserDirectory(this, "Users");
      this.issuer = issuer;
      new CfnOutput(this, "UserPoolId", { value: pool.userPoolId });
      new CfnOutput(this, "UserPoolClientId", { value: client.userPoolClientId });
    }
  }
}
