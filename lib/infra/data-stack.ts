import { CfnOutput, Stack } from "aws-cdk-lib";
import type { Table } from "aws-cdk-lib/aws-dynamodb";
import type { Key } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";
import type { Issuer } from "../runtime/token-verifier.ts";
import type { Configuration } from "./config.ts";
import { SingleTable } from "./constructs/single-table.ts";
import { UserDirectory } from "./constructs/user-directory.ts";
import { WalletKey } from "./constructs/wallet-key.ts";
import { tags } from "./tags.ts";

/** Everything that cannot be made again: the table, the key and, where no issuer is configured, the users' sign-ins. */
export class DataStack extends Stack {
  readonly table: Table;
  readonly key: Key;
  /** The configured issuer, else the user pool of this stack. */
  readonly issuer: Issuer;

  constructor(scope: Construct, id: string, configuration: Configuration) {
    super(scope, id, {
      description: "Trading terminal: users, wallets and settings, and the key that guards them",
      terminationProtection: true,
      tags,
    });

    this.table = new SingleTable(this, "Table");
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
