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

/** Leaves a use of a KMS key to the account, whose IAM policies then decide who may. */
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

/** Lets administrators manage a KMS key. Using it, and granting others its use, is not among it. */
export const administration = (): PolicyStatement => ofAccount("Administer", administrative);
