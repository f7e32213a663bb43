import { Duration, RemovalPolicy } from "aws-cdk-lib";
import { PolicyDocument, type PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Key, KeySpec, KeyUsage } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";
import type { MacAction } from "../../operations/types.ts";
import { administration, ofAccount } from "../data/key-administration.ts";
import { deployedStackName } from "./function-stack.ts";
import { roleArnOf, rowsThat } from "./named-roles.ts";

/**
 * The KMS key that authenticates an order from its placement to its signature. Its policy names the roles that may
 * create authentication codes, and those that may verify them. If the key is lost, open orders are refused, and nothing
 * else is lost.
 */
export class MacKey extends Key {
  constructor(scope: Construct, id: string) {
    super(scope, id, {
      description: "Authenticates orders from their placement to their signature",
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

/** Allows an action to the roles of the rows that list it. Returns no statement if no row lists the action. */
function useBy(scope: Construct, sid: string, action: MacAction): PolicyStatement[] {
  const apiStackName = deployedStackName(scope);
  const roles = rowsThat(({ mac }) => mac.includes(action)).map((name) =>
    roleArnOf(scope, apiStackName, name),
  );
  return roles.length === 0 ? [] : [ofAccount(sid, [action], { ArnEquals: { "aws:PrincipalArn": roles } })];
}
