import { CfnOutput, Fn, Stack, type StackProps } from "aws-cdk-lib";
import { BackupVault } from "aws-cdk-lib/aws-backup";
import { PolicyDocument } from "aws-cdk-lib/aws-iam";
import { CfnReplicaKey } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";
import { administration } from "./data/key-administration.ts";
import { retained } from "./retained.ts";

/** Name of the vault of copies. It is fixed, because references between regions are read only when a stack changes. */
export const copiesVaultName = "TerminalCopies";

export type ReplicaStackProps = Pick<StackProps, "tags"> & {
  /** Region of the replica, and region of the stacks. */
  replicaRegion: string;
  region: string;
  /** Stack with the primary key, which the output `KeyId` names. */
  dataStackName: string;
};

/**
 * Stack in another region of all that wallets need to outlive the loss of their own: a replica of their key, and a vault
 * for copies of the table. Until an operator changes the replica's policy, nobody can use the replica, because the
 * roles of that region do not exist, and anyone who may create roles could take their names.
 */
export class ReplicaStack extends Stack {
  constructor(
    scope: Construct,
    id: string,
    { replicaRegion, region, dataStackName, ...props }: ReplicaStackProps,
  ) {
    super(scope, id, {
      ...props,
      env: { region: replicaRegion },
      description: "Trading terminal: a replica of the wallets' key, and copies of the table",
      terminationProtection: true,
    });
    const key = new CfnReplicaKey(this, "Key", {
      description: "Replica of the key that wraps the data keys of wallets",
      primaryKeyArn: Fn.getStackOutput(dataStackName, "KeyId", region),
      keyPolicy: new PolicyDocument({ statements: [administration()] }),
    });
    key.applyRemovalPolicy(retained);
    new BackupVault(this, "Vault", { backupVaultName: copiesVaultName, removalPolicy: retained });
    new CfnOutput(this, "ReplicaKeyId", { value: key.attrArn });
  }
}
