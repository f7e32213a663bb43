import { CrossStackReferences, ReferenceStrength, Stack } from "aws-cdk-lib";
import { PolicyDocument } from "aws-cdk-lib/aws-iam";
import { Key, KeySpec, KeyUsage } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";
import { roleArnOf, rowsThat } from "../functions/named-roles.ts";
import { retained } from "../retained.ts";
import { administration, ofAccount } from "./key-administration.ts";

export type ImportKeyPairProps = {
  /** The label from the context. */
  label: string;
  /** The stack of the functions that use it. */
  apiStackName: string;
};

/**
 * A KMS key pair for imported private keys. Users seal to its public half, which IAM may let anyone read. The
 * key policy names the roles that may decrypt.
 */
export class ImportKeyPair extends Key {
  constructor(scope: Construct, id: string, { label, apiStackName }: ImportKeyPairProps) {
    const openers = rowsThat(({ importKeys }) => importKeys.includes("kms:DeriveSharedSecret"));
    super(scope, id, {
      alias: `${Stack.of(scope).stackName}/import/${label}`,
      description: "The key to which users seal the private keys that they import",
      keySpec: KeySpec.ECC_NIST_P256,
      keyUsage: KeyUsage.KEY_AGREEMENT,
      removalPolicy: retained,
      policy: new PolicyDocument({
        statements: [
          administration(),
          ofAccount("ReadPublicKey", ["kms:GetPublicKey"]),
          ofAccount("OpenSealedKeys", ["kms:DeriveSharedSecret"], {
            // The roles may not exist yet, so they cannot be principals.
            ArnEquals: { "aws:PrincipalArn": openers.map((name) => roleArnOf(scope, apiStackName, name)) },
            StringEquals: { "kms:KeyAgreementAlgorithm": "ECDH" },
          }),
        ],
      }),
    });
    // A strong reference would create an export, which CloudFormation could not remove together with its
    // label.
    CrossStackReferences.of(this).produce(ReferenceStrength.WEAK);
  }
}
