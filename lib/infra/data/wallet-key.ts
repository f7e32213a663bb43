import { Stack } from "aws-cdk-lib";
import { PolicyDocument } from "aws-cdk-lib/aws-iam";
import { Key } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";
import type { Binding } from "../../aws/container.ts";
import type { Network } from "../../core/network.ts";
import { operations } from "../../operations/operations.ts";
import { roleArnOf } from "../functions/named-roles.ts";
import { type Openings, openedBy, openersOf } from "../openings.ts";
import { retained } from "../retained.ts";
import { administration, ofAccount } from "./key-administration.ts";

export type WalletKeyProps = {
  openings: Openings;
  /** Name of the stack whose functions open wallets. */
  apiStackName: string;
  /** True if the key can have replicas in other regions. */
  isMultiRegion: boolean;
  /** Region to which the key may be replicated. */
  replicaRegion: string | undefined;
};

/**
 * The KMS key that wraps the wallets' data keys. Its policy lets IAM allow creating and rewrapping data keys. If
 * trading and export are off, the policy allows nobody to decrypt.
 */
export class WalletKey extends Key {
  constructor(
    scope: Construct,
    id: string,
    { openings, apiStackName, isMultiRegion, replicaRegion }: WalletKeyProps,
  ) {
    super(scope, id, {
      alias: `${Stack.of(scope).stackName}/wallets`,
      description: "Wraps the data keys that encrypt the users' private keys",
      enableKeyRotation: true,
      // Costs nothing without a replica, and cannot be changed once the key exists.
      ...(isMultiRegion && { multiRegion: true }),
      removalPolicy: retained,
      policy: walletKeyPolicy(scope, { openings, apiStackName, replicaRegion }),
    });
  }
}

/** Policy of the wallets' key, and of a replica that has taken its place. */
export const walletKeyPolicy = (
  scope: Construct,
  { openings, apiStackName, replicaRegion }: Omit<WalletKeyProps, "isMultiRegion">,
): PolicyDocument =>
  new PolicyDocument({
    statements: [
      administration(),
      ofAccount("MakeDataKeys", ["kms:GenerateDataKey"], ofOneWallet),
      // Allows rewrapping only to this key, because rewrapping to another key would be a way to decrypt.
      ofAccount("WrapDataKeysAnew", ["kms:ReEncryptFrom", "kms:ReEncryptTo"], {
        Bool: { "kms:ReEncryptOnSameKey": "true" },
      }),
      ...openersOf(openings).map((name) =>
        ofAccount(`OpenWalletsBy${name}`, ["kms:Decrypt"], {
          ...ofOneWalletOn(openedBy(openings, operations[name])),
          // Names the role in a condition. The role cannot be the principal, because it may not exist yet.
          ArnEquals: { "aws:PrincipalArn": roleArnOf(scope, apiStackName, name) },
        }),
      ),
      // Allows a replica in one region only, because each replica has a policy of its own.
      ...(replicaRegion === undefined
        ? []
        : [
            ofAccount("Replicate", ["kms:ReplicateKey"], {
              StringEquals: { "kms:ReplicaRegion": replicaRegion },
            }),
          ]),
    ],
  });

const bindingKeys = { userID: true, walletId: true, network: true, address: true } satisfies Record<
  keyof Binding,
  true
>;

/** Requires the encryption context of one wallet's data key, and nothing else. */
export const ofOneWallet = {
  // Rejects other keys in the context. On its own, this condition would also accept a context with only some of these
  // keys, or with none.
  "ForAllValues:StringEquals": { "kms:EncryptionContextKeys": Object.keys(bindingKeys) },
  // Requires every key of the context to be present.
  Null: Object.fromEntries(Object.keys(bindingKeys).map((key) => [`kms:EncryptionContext:${key}`, "false"])),
};

/** Requires the encryption context of one wallet's data key, on one of these networks. */
export const ofOneWalletOn = (networks: readonly Network[]) => ({
  ...ofOneWallet,
  StringEquals: { "kms:EncryptionContext:network": [...networks] },
});
