import { AccessLogField, AccessLogFormat } from "aws-cdk-lib/aws-apigateway";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import type { LoggedContext } from "../../runtime/authorizer.ts";
import { retained } from "../retained.ts";

/** A log group that keeps its lines for a month, and is not deleted with what wrote them. */
export class RetainedLogGroup extends LogGroup {
  constructor(scope: Construct, id: string) {
    super(scope, id, { retention: RetentionDays.ONE_MONTH, removalPolicy: retained });
  }
}

/**
 * The user's id in a form that cannot break a line of JSON, as the authorizers put it into their context. It is unknown
 * whether API Gateway escapes quotes in the principal's id, which issuers choose.
 */
const loggedUser: keyof LoggedContext = "loggedUser";

/**
 * The address of the client, as the authorizers know it. The source address is that of the edge, and stands for requests
 * of which no authorizer was asked.
 */
const clientIp: keyof LoggedContext = "clientIp";

/**
 * One line of JSON per request. It has the path of the route, and no headers, no query and no error message: a token or a
 * private key that a caller sends by mistake is not logged.
 */
export const restAccessLogFormat = AccessLogFormat.custom(
  JSON.stringify({
    requestId: AccessLogField.contextRequestId(),
    extendedRequestId: AccessLogField.contextExtendedRequestId(),
    ip: AccessLogField.contextAuthorizer(clientIp),
    sourceIp: AccessLogField.contextIdentitySourceIp(),
    time: AccessLogField.contextRequestTime(),
    method: AccessLogField.contextHttpMethod(),
    resourcePath: AccessLogField.contextResourcePath(),
    principalId: AccessLogField.contextAuthorizer(loggedUser),
    status: AccessLogField.contextStatus(),
    errorType: AccessLogField.contextErrorResponseType(),
    authorizerLatency: AccessLogField.contextAuthorizerLatency(),
    integrationLatency: AccessLogField.contextIntegrationLatency(),
    responseLatency: AccessLogField.contextResponseLatency(),
    responseLength: AccessLogField.contextResponseLength(),
  }),
);

/** One line of JSON per message, connection and disconnection, also without headers, query and content. */
export const streamAccessLogFormat = AccessLogFormat.custom(
  JSON.stringify({
    requestId: AccessLogField.contextRequestId(),
    extendedRequestId: AccessLogField.contextExtendedRequestId(),
    ip: AccessLogField.contextAuthorizer(clientIp),
    sourceIp: AccessLogField.contextIdentitySourceIp(),
    time: AccessLogField.contextRequestTime(),
    routeKey: AccessLogField.contextRouteKey(),
    eventType: AccessLogField.contextEventType(),
    connectionId: AccessLogField.contextConnectionId(),
    principalId: AccessLogField.contextAuthorizer(loggedUser),
    status: AccessLogField.contextStatus(),
    errorType: AccessLogField.contextErrorResponseType(),
    authorizerLatency: AccessLogField.contextAuthorizerLatency(),
    integrationLatency: AccessLogField.contextIntegrationLatency(),
  }),
);
