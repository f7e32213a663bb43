import { Duration } from "aws-cdk-lib";
import { type CfnAuthorizer, RequestAuthorizer } from "aws-cdk-lib/aws-apigateway";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";

/**
 * Asks the function at every request. Nothing is cached: the token may be in a header or in a cookie, and API Gateway
 * caches only by sources that are all present; besides, a cached answer would outlive its token.
 */
export class TokenAuthorizer extends RequestAuthorizer {
  constructor(scope: Construct, id: string, handler: IFunction) {
    super(scope, id, { handler, identitySources: [], resultsCacheTtl: Duration.seconds(0) });
    // CDK writes the empty list as an empty string, which API Gateway does not document; absent is documented.
    (this.node.defaultChild as CfnAuthorizer).addPropertyDeletionOverride("IdentitySource");
  }
}
