import { CrossStackReferences, ReferenceStrength, Stack } from "aws-cdk-lib";
import { PolicyDocument } from "aws-cdk-lib/aws-iam";
import { Key, KeySpec, KeyUsage } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";
import { roleArnOf, rowsThat } from "../functions/named-roles.ts";
import { retained } from "../retained.ts";
import { administration, ofAccount } from "./key-administration.ts";

export type ImportKeyPairProps = {
  /** Label of the key, from the context. */
  label: string;
  /** Name of the stack whose functions use the key. */
  apiStackName: string;
};

/**
 * A KMS key pair for imported private keys. Users seal to its public half, which anyone may read if IAM allows it. The
 * key policy names the roles that may decrypt.
 */
export class ImportKeyPair extends Key {
  constructor(scope: Construct, id: string, { label, apiStackName }: ImportKeyPairProps) {
    const openers = rowsThat(({ importKeys }) => importKeys.includes("kms:DeriveSharedSecret"));
    super(scope, id, {
      alias: `${Stack.of(scope).stackName}/import/${label}`,
      description: "Key pair for imports: users seal private keys with the public half",
      keySpec: KeySpec.ECC_NIST_P256,
      keyUsage: KeyUsage.KEY_AGREEMENT,
      removalPolicy: retained,
      policy: new PolicyDocument({
        statements: [
          administration(),
          ofAccount("ReadPublicKey", ["kms:GetPublicKey"]),
          ofAccount("OpenSealedKeys", ["kms:DeriveSharedSecret"], {
            // Names the roles in a condition. They cannot be principals, because they may not exist yet.
            ArnEquals: { "aws:PrincipalArn": openers.map((name) => roleArnOf(scope, apiStackName, name)) },
            StringEquals: { "kms:KeyAgreementAlgorithm": "ECDH" },
          }),
        ],
      }),
    });
    // Avoids a strong reference, because CloudFormation could not remove its export together with the label.
    CrossStackReferences.of(this).produce(ReferenceStrength.WEAK);
  }
}
