import { Duration, RemovalPolicy } from "aws-cdk-lib";
import { AccountRootPrincipal, PolicyDocument, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Key, KeySpec, KeyUsage } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";
import type { MacAction } from "../../operation-types.ts";
import { keyAdministration } from "../data/key-administration.ts";

const use = ["kms:GenerateMac", "kms:VerifyMac"] satisfies MacAction[];

/**
 * The KMS key that authenticates what users have ordered, from when an order is placed until it is signed. It protects
 * nothing that lasts: without it, open orders are refused.
 */
export class MacKey extends Key {
  constructor(scope: Construct, id: string) {
    super(scope, id, {
      description: "Authenticates what users have ordered",
      keySpec: KeySpec.HMAC_256,
      keyUsage: KeyUsage.GENERATE_VERIFY_MAC,
      removalPolicy: RemovalPolicy.DESTROY,
      pendingWindow: Duration.days(7),
      policy: new PolicyDocument({
        statements: [ofAccount("Administer", keyAdministration), ofAccount("UseCodes", use)],
      }),
    });
  }
}

const ofAccount = (sid: string, actions: readonly string[]) =>
  new PolicyStatement({
    sid,
    actions: [...actions],
    principals: [new AccountRootPrincipal()],
    resources: ["*"],
  });
