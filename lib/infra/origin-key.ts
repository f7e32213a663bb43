import { Validations } from "aws-cdk-lib";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import type { Construct } from "constructs";

/** What the edge proves itself with to the authorizers. Both get it by a dynamic reference, so no template shows it. */
export class OriginKey extends Secret {
  constructor(scope: Construct, id: string) {
    super(scope, id, {
      description: "Trading terminal: what the edge proves itself with to the APIs",
      generateSecretString: { excludePunctuation: true, passwordLength: 48 },
    });
    Validations.of(this).acknowledge({
      id: "AwsSolutions-SMG4",
      reason:
        "CloudFormation reads it when the edge and the authorizers are deployed, so a rotation by itself would part them.",
    });
  }

  /** The dynamic reference. */
  get reference(): string {
    return this.secretValue.unsafeUnwrap();
  }
}
