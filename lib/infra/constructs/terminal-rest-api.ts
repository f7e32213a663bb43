import { Stack, Validations } from "aws-cdk-lib";
import {
  ApiKeySourceType,
  type CfnAccount,
  EndpointType,
  LogGroupLogDestination,
  MethodLoggingLevel,
  RestApi,
} from "aws-cdk-lib/aws-apigateway";
import type { Construct } from "constructs";
import { accessLogFormat } from "./access-log-format.ts";
import { RetainedLogGroup } from "./retained-log-group.ts";
import { stageName } from "./stage-name.ts";

export type TerminalRestApiProps = {
  /** Reachable under a domain name of its own only. */
  domainOnly: boolean;
};

/** The REST API with its one stage, before it has methods. */
export class TerminalRestApi extends RestApi {
  constructor(scope: Construct, id: string, { domainOnly }: TerminalRestApiProps) {
    super(scope, id, {
      // The name is a dimension of the metrics: two APIs of one name would be counted as one.
      restApiName: Stack.of(scope).stackName,
      description: "Trading terminal",
      endpointTypes: [EndpointType.REGIONAL],
      disableExecuteApiEndpoint: domainOnly,
      // A key in a header would let a caller count on somebody else's.
      apiKeySourceType: ApiKeySourceType.AUTHORIZER,
      // Without this role, one per account and region, API Gateway refuses to write access logs.
      cloudWatchRole: true,
      deployOptions: {
        stageName,
        metricsEnabled: true,
        accessLogDestination: new LogGroupLogDestination(new RetainedLogGroup(scope, `${id}AccessLog`)),
        accessLogFormat,
        loggingLevel: MethodLoggingLevel.OFF,
        dataTraceEnabled: false,
      },
    });
    // The stack tells the address itself; this one is dead once the API is reachable under its domain only.
    this.node.tryRemoveChild("Endpoint");
    Validations.of(this).acknowledge(
      {
        id: "AwsSolutions-APIG2",
        reason:
          "Each function checks its input against its schema and names the field at fault, which API Gateway cannot.",
      },
      {
        id: "AwsSolutions-APIG3",
        reason:
          "A web ACL is billed per rule and request and is tuned to its traffic: the owner associates one where wanted.",
      },
      {
        id: "AwsSolutions-APIG6",
        reason:
          "Execution logs may quote requests, and requests carry tokens and private keys. Access logs and metrics do not.",
      },
      {
        id: "AwsSolutions-COG4",
        reason:
          "The token of any OIDC issuer is accepted, in a header or a cookie. A Cognito authorizer knows user pools and one header.",
      },
      {
        id: "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]",
        reason: "API Gateway demands the actions of exactly this policy of the role by which it writes logs.",
      },
    );
  }

  /** Access logs of any API need the role that this one brings for the account. */
  get logging(): CfnAccount {
    if (this.cloudWatchAccount === undefined) throw new Error("The API brings no role for logs");
    return this.cloudWatchAccount;
  }
}
