import { Size, Stack, Validations } from "aws-cdk-lib";
import {
  ApiKeySourceType,
  type CfnAccount,
  type DomainName,
  EndpointType,
  LogGroupLogDestination,
  type MethodDeploymentOptions,
  MethodLoggingLevel,
  RestApi,
  SecurityPolicy,
} from "aws-cdk-lib/aws-apigateway";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import type { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { servedMethods } from "../../operations/operations.ts";
import type { Throttle } from "../../plans/plan.ts";
import type { Configuration, Domain } from "../configuration.ts";
import { RetainedLogGroup, restAccessLogFormat } from "../monitoring/access-log.ts";
import { retained } from "../retained.ts";
import { throttleOfMethod } from "../throttles.ts";

/**
 * Name of the API's only stage. It is a literal, because references would form a cycle: the stage depends on its
 * methods, they depend on the authorizer, and the authorizer's environment would refer to the stage.
 */
export const restStageName = "live";

/** Repeats all options, because the options that are set for one method replace those for all methods. */
const methodOptions = ({ rateLimit, burstLimit }: Throttle): MethodDeploymentOptions => ({
  // Switches off metrics of single methods, which cost $1.50 a month each. Metrics of the stage are free.
  metricsEnabled: false,
  loggingLevel: MethodLoggingLevel.OFF,
  dataTraceEnabled: false,
  throttlingRateLimit: rateLimit,
  throttlingBurstLimit: burstLimit,
});

/** The REST API with its stage, without methods. */
export class TerminalRestApi extends RestApi {
  readonly accessLog: LogGroup;

  /** Custom domain of the API. It disables the API's default address. */
  constructor(
    scope: Construct,
    id: string,
    { domain, throttles }: Pick<Configuration, "throttles"> & { domain: Domain | undefined },
  ) {
    const accessLog = new RetainedLogGroup(scope, `${id}AccessLog`);
    super(scope, id, {
      // Gives the API a unique name, which is a dimension of the metrics: two APIs with one name would be counted
      // together.
      restApiName: Stack.of(scope).stackName,
      description: "Trading terminal",
      endpointTypes: [EndpointType.REGIONAL],
      disableExecuteApiEndpoint: domain !== undefined,
      minCompressionSize: Size.kibibytes(1),
      // Takes the API key from the authorizer. A key in a header would let callers use up another user's plan.
      apiKeySourceType: ApiKeySourceType.AUTHORIZER,
      // Makes the account's role for API Gateway in this region, because API Gateway writes no access logs without it.
      cloudWatchRole: true,
      cloudWatchRoleRemovalPolicy: retained,
      deployOptions: {
        stageName: restStageName,
        ...methodOptions(throttles.preflight),
        methodOptions: Object.fromEntries(
          servedMethods.map((served) => [
            `${served.path}/${served.method}`,
            methodOptions(throttleOfMethod(throttles, served)),
          ]),
        ),
        accessLogDestination: new LogGroupLogDestination(accessLog),
        accessLogFormat: restAccessLogFormat,
      },
    });
    this.accessLog = accessLog;
    // Removes CDK's output of the default address, because that address does not respond if there is a custom domain.
    // The stack has an output of its own.
    this.node.tryRemoveChild("Endpoint");
    Validations.of(this).acknowledge(
      {
        id: "AwsSolutions-APIG2",
        reason:
          "Each function checks its input against its schema and names the invalid field. API Gateway cannot name it.",
      },
      {
        id: "AwsSolutions-APIG3",
        reason:
          "A web ACL is billed per rule and request, and tuned to its traffic. The owner may associate one.",
      },
      {
        id: "AwsSolutions-APIG6",
        reason:
          "Execution logs may quote requests, and requests carry tokens and private keys. Access logs and metrics do not.",
      },
      {
        id: "AwsSolutions-COG4",
        reason:
          "Tokens of any OIDC issuer are accepted, in a header or a cookie. A Cognito authorizer supports user pools and one header.",
      },
      {
        id: "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]",
        reason: "API Gateway requires exactly this policy for the role that writes its logs.",
      },
    );
  }

  /** Role for the logs of API Gateway, which this construct sets for the whole account. */
  get logging(): CfnAccount {
    if (this.cloudWatchAccount === undefined) throw new Error("The REST API has no role for logs");
    return this.cloudWatchAccount;
  }
}

/** Serves the REST API at the root of a custom domain. The owner creates the DNS record. */
export function addDomainName(api: RestApi, { domainName, certificateArn }: Domain): DomainName {
  return api.addDomainName("DomainName", {
    domainName,
    certificate: Certificate.fromCertificateArn(api, "Certificate", certificateArn),
    endpointType: EndpointType.REGIONAL,
    securityPolicy: SecurityPolicy.TLS_1_2,
  });
}
