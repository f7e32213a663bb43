import { AccountRootPrincipal, PolicyStatement } from "aws-cdk-lib/aws-iam";

const administrative = [
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

/** Lets the account's IAM policies decide who may perform these actions with a KMS key. */
export const ofAccount = (
  sid: string,
  actions: readonly string[],
  conditions: Record<string, unknown> = {},
): PolicyStatement =>
  new PolicyStatement({
    sid,
    actions: [...actions],
    principals: [new AccountRootPrincipal()],
    resources: ["*"],
    conditions,
  });

/** Lets administrators manage a KMS key, but neither use it nor grant its use. */
export const administration = (): PolicyStatement => ofAccount("Administer", administrative);
