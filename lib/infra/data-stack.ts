import {
  CfnOutput,
  CrossStackReferences,
  ReferenceStrength,
  Stack,
  type StackProps,
  Validations,
} from "aws-cdk-lib";
import { AttributeType, BillingMode, StreamViewType, Table } from "aws-cdk-lib/aws-dynamodb";
import { type IKey, Key } from "aws-cdk-lib/aws-kms";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import type { Construct } from "constructs";
import type { Issuer } from "../runtime/token-verifier.ts";
import { timeToLive } from "../table/layout.ts";
import type { Configuration } from "./configuration.ts";
import { ImportKeyPair } from "./data/import-key-pair.ts";
import { UserDirectory } from "./data/user-directory.ts";
import { WalletKey, walletKeyPolicy } from "./data/wallet-key.ts";
import { consoleUrlOf } from "./edge-context.ts";
import { MacKey } from "./functions/mac-key.ts";
import { openingsOf } from "./openings.ts";
import { retained } from "./retained.ts";

export type DataStackProps = Pick<StackProps, "tags"> & {
  configuration: Configuration;
  /** Name of the functions' stack. */
  apiStackName: string;
};

/**
 * Stack of everything that cannot be recreated: the table, the keys and the user pool. Few settings affect it: those of
 * the user pool, those that decide which functions may open wallets, and the labels of import keys and origin keys. No
 * other setting can remove anything in this stack. A key that leaves it is kept in the account.
 */
export class DataStack extends Stack {
  /** The service's only table. lib/table/layout.ts has the layout of its items. */
  readonly table: Table;
  readonly key: IKey;
  /** Keys for imports, in the order of their labels. */
  readonly importKeys: readonly IKey[];
  /** Key that authenticates orders and mandates. Undefined if no chain trades. */
  readonly macKey: IKey | undefined;
  /** Secrets that prove a request came through the edge, in the order of their labels. */
  readonly originKeys: readonly OriginKey[];
  /** The change stream of the table. */
  readonly streamArn: string;
  /** Configured issuer, or else the user pool of this stack. */
  readonly issuer: Issuer;

  constructor(scope: Construct, id: string, { configuration, apiStackName, ...props }: DataStackProps) {
    super(scope, id, {
      ...props,
      description: "Trading terminal: users, wallets and settings, and the key that guards them",
      terminationProtection: true,
    });

    this.table = new Table(this, "Table", {
      partitionKey: { name: "PK", type: AttributeType.STRING },
      sortKey: { name: "SK", type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      ...(configuration.warmThroughput && { warmThroughput: configuration.warmThroughput }),
      timeToLiveAttribute: timeToLive,
      stream: StreamViewType.NEW_AND_OLD_IMAGES,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
      removalPolicy: retained,
    });
    const { walletKeyArn, replicaRegion, multiRegionKey: isMultiRegion } = configuration;
    const guarded = { openings: openingsOf(configuration), apiStackName, replicaRegion };
    this.key =
      walletKeyArn === undefined
        ? new WalletKey(this, "Key", { ...guarded, isMultiRegion })
        : Key.fromKeyArn(this, "Key", walletKeyArn);
    this.importKeys = configuration.importKeys.map(
      (label) => new ImportKeyPair(this, `ImportKey-${label}`, { label, apiStackName }),
    );
    this.macKey =
      guarded.openings["with trading"].length > 0
        ? new MacKey(this, "MacKey", { apiStackName, of: "mac" })
        : undefined;
    // Makes the origin keys even if there is no edge, so that they exist when an edge is added.
    this.originKeys = configuration.originKeys.map((label) => new OriginKey(this, `OriginKey-${label}`));
    const users = new UserDirectory(this, "Users", {
      isIssuer: configuration.issuer === undefined,
      mail: configuration.mail,
      consoleUrl:
        configuration.edge && configuration.domain
          ? consoleUrlOf(`https://${configuration.domain.domainName}`)
          : undefined,
    });
    // Creates the table last: when a first deploy fails, everything is rolled back except a table protected from
    // deletion.
    const macKeys = this.macKey === undefined ? [] : [this.macKey];
    this.table.node.addDependency(this.key, ...this.importKeys, ...macKeys, ...this.originKeys, users);

    const { tableStreamArn } = this.table;
    if (tableStreamArn === undefined) throw new Error("The table has no stream");
    this.streamArn = configuration.tableStreamArn ?? tableStreamArn;
    this.issuer = configuration.issuer ?? users.issuer;
    // Always exports these values, although only some configurations import them, because CloudFormation cannot remove
    // an export in use.
    for (const value of [tableStreamArn, users.pool.userPoolId, users.client.userPoolClientId])
      this.exportValue(value);

    new CfnOutput(this, "TableName", { value: this.table.tableName });
    new CfnOutput(this, "KeyId", { value: this.key.keyArn });
    // The stack of the lost region still owns the key, so an operator has to set its policy.
    if (walletKeyArn !== undefined)
      new CfnOutput(this, "KeyPolicy", { value: this.toJsonString(walletKeyPolicy(this, guarded)) });
    if (configuration.issuer === undefined) {
      new CfnOutput(this, "UserPoolId", { value: users.pool.userPoolId });
      new CfnOutput(this, "UserPoolClientId", { value: users.client.userPoolClientId });
    }
  }
}

/**
 * A secret header value by which the authorizers recognise requests from the edge. Templates contain only a dynamic
 * reference to it.
 *
 * The secret is kept when its label or the edge is removed: when CloudFormation changes a distribution, it reads the
 * distribution's old value, and fails if the secret is missing.
 */
class OriginKey extends Secret {
  constructor(scope: Construct, id: string) {
    super(scope, id, {
      description: "Trading terminal: the secret header that the edge sends to the APIs",
      generateSecretString: { excludePunctuation: true, passwordLength: 48 },
      removalPolicy: retained,
    });
    // Avoids a strong reference, because CloudFormation could not remove its export together with the label.
    CrossStackReferences.of(this).produce(ReferenceStrength.WEAK);
    Validations.of(this).acknowledge({
      id: "AwsSolutions-SMG4",
      reason:
        "CloudFormation reads the secret when it deploys the edge and the authorizers. A rotation on its own would leave them with different values.",
    });
  }

  get reference(): string {
    return this.secretValue.unsafeUnwrap();
  }
}
