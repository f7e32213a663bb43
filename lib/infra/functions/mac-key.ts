import { CrossStackReferences, Duration, ReferenceStrength, RemovalPolicy } from "aws-cdk-lib";
import { PolicyDocument, type PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Key, KeySpec, KeyUsage } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";
import type { MacAction } from "../../operations/types.ts";
import { administration, ofAccount } from "../data/key-administration.ts";
import { retained } from "../retained.ts";
import { roleArnOf, rowsThat } from "./named-roles.ts";

export type MacKeyProps = {
  /** Name of the stack whose functions use the key. */
  apiStackName: string;
  /** Column of THE TABLE that lists who may use the key: that of orders, or that of children of resting orders. */
  of: "mac" | "childMac";
};

/**
 * A KMS key that authenticates orders from their placement to their signature. Its policy names the roles that may
 * create authentication codes, and those that may verify them.
 *
 * The key of orders is kept, because without it all resting orders end. If the key of children is lost, only children
 * that are not signed yet are refused.
 */
export class MacKey extends Key {
  constructor(scope: Construct, id: string, { apiStackName, of }: MacKeyProps) {
    const useBy = (sid: string, action: MacAction): PolicyStatement[] => {
      const roles = rowsThat((row) => row[of].includes(action)).map((name) =>
        roleArnOf(scope, apiStackName, name),
      );
      return roles.length === 0
        ? []
        : [ofAccount(sid, [action], { ArnEquals: { "aws:PrincipalArn": roles } })];
    };
    super(scope, id, {
      description:
        of === "mac"
          ? "Authenticates orders and mandates from their placement to their signature"
          : "Authenticates the orders that resting orders place when they fire",
      keySpec: KeySpec.HMAC_256,
      keyUsage: KeyUsage.GENERATE_VERIFY_MAC,
      removalPolicy: of === "mac" ? retained : RemovalPolicy.DESTROY,
      ...(of === "childMac" && { pendingWindow: Duration.days(7) }),
      policy: new PolicyDocument({
        statements: [
          administration(),
          ...useBy("MakeCodes", "kms:GenerateMac"),
          ...useBy("CheckCodes", "kms:VerifyMac"),
        ],
      }),
    });
    // Avoids a strong reference, because CloudFormation could not remove its export when trading is switched off.
    CrossStackReferences.of(this).produce(ReferenceStrength.WEAK);
  }
}
