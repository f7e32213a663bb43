import { CrossStackReferences, ReferenceStrength, Validations } from "aws-cdk-lib";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import type { Construct } from "constructs";
import { retained } from "../retained.ts";

/**
 * A secret header value by which the authorizers recognize requests from the edge. Templates hold a dynamic
 * reference only.
 *
 * It stays in Secrets Manager when its label or the edge is removed: CloudFormation reads the value that the
 * distribution has had whenever it changes the distribution, and fails without it.
 */
export class OriginKey extends Secret {
  constructor(scope: Construct, id: string) {
    super(scope, id, {
      description: "Trading terminal: the secret header that the edge sends to the APIs",
      generateSecretString: { excludePunctuation: true, passwordLength: 48 },
      removalPolicy: retained,
    });
    // A strong reference would create an export, which CloudFormation could not remove together with its
    // label.
    CrossStackReferences.of(this).produce(ReferenceStrength.WEAK);
    Validations.of(this).acknowledge({
      id: "AwsSolutions-SMG4",
      reason:
        "CloudFormation reads it when the edge and the authorizers are deployed. A rotation on its own would leave them with different values.",
    });
  }

  get reference(): string {
    return this.secretValue.unsafeUnwrap();
  }
}
