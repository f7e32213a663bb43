import { RemovalPolicy, Stack } from "aws-cdk-lib";
import { AccountRootPrincipal, PolicyDocument, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Key } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";

/**
 * The KMS key that wraps the data keys of the wallets. Its policy leaves it to IAM to allow making and rewrapping data
 * keys, and allows nobody to decrypt: to open a wallet, this policy has to change first.
 */
export class WalletKey extends Key {
  constructor(scope: Construct, id: string) {
    super(scope, id, {
      alias: `${Stack.of(scope).stackName}/wallets`,
      description: "Wraps the data keys under which the users' private keys are stored",
      enableKeyRotation: true,
      removalPolicy: RemovalPolicy.RETAIN,
      policy: new PolicyDocument({
        statements: [
          ofAccount("Administer", administration),
          ofAccount("MakeDataKeys", ["kms:GenerateDataKey"]),
          // Rewrapping to another key would be a way to decrypt.
          ofAccount("WrapDataKeysAnew", ["kms:ReEncryptFrom", "kms:ReEncryptTo"], {
            Bool: { "kms:ReEncryptOnSameKey": "true" },
          }),
        ],
      }),
    });
  }
}

function ofAccount(sid: string, actions: readonly string[], conditions: Record<string, unknown> = {}) {
  return new PolicyStatement({
    sid,
    actions: [...actions],
    principals: [new AccountRootPrincipal()],
    resources: ["*"],
    conditions,
  });
}

const administration = [
  "kms:CancelKeyDeletion",
  "kms:CreateAlias",
  "kms:DeleteAlias",
  "kms:DescribeKey",
  "kms:DisableKey",
  "kms:DisableKeyRotation",
  "kms:EnableKey",
  "kms:EnableKeyRotation",
  "kms:GetKeyPolicy",
  "kms:GetKeyRotationStatus",
  "kms:ListGrants",
  "kms:ListKeyPolicies",
  "kms:ListKeyRotations",
  "kms:ListResourceTags",
  "kms:PutKeyPolicy",
  "kms:RevokeGrant",
  "kms:RotateKeyOnDemand",
  "kms:ScheduleKeyDeletion",
  "kms:TagResource",
  "kms:UntagResource",
  "kms:UpdateAlias",
  "kms:UpdateKeyDescription",
];
