import { Duration, RemovalPolicy, Stack } from "aws-cdk-lib";
import { PolicyDocument, type PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Key, KeySpec, KeyUsage } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";
import type { MacAction } from "../../operations/types.ts";
import { administration, ofAccount } from "../data/key-administration.ts";
import { roleArnOf, rowsThat } from "./named-roles.ts";

/**
 * The KMS key that authenticates what users have ordered, from when an order is placed until it is signed. Its policy names
 * the roles that may make codes, and those that may check them. It protects nothing that lasts: without it, open orders
 * are refused.
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
        statements: [
          administration(),
          ...useBy(scope, "MakeCodes", "kms:GenerateMac"),
          ...useBy(scope, "CheckCodes", "kms:VerifyMac"),
        ],
      }),
    });
  }
}

/** Lets the roles of the rows that list an action use it. No statement if there are none. */
function useBy(scope: Construct, sid: string, action: MacAction): PolicyStatement[] {
  const { stackName } = Stack.of(scope);
  const roles = rowsThat(({ mac }) => mac.includes(action)).map((name) => roleArnOf(scope, stackName, name));
  return roles.length === 0 ? [] : [ofAccount(sid, [action], { ArnEquals: { "aws:PrincipalArn": roles } })];
}
