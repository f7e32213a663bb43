import { AccessLogField, AccessLogFormat } from "aws-cdk-lib/aws-apigateway";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import type { LoggedContext } from "../../runtime/authorizer.ts";
import { retained } from "../retained.ts";

/** A log group that keeps its lines for a month, and outlives the resource that writes them. */
export class RetainedLogGroup extends LogGroup {
  constructor(scope: Construct, id: string) {
    super(scope, id, { retention: RetentionDays.ONE_MONTH, removalPolicy: retained });
  }
}

/**
 * Logs the user's id as escaped by the authorizers, so that it cannot break a line of JSON. Issuers choose the
 * principal's id, and AWS does not document whether API Gateway escapes quotes there.
 */
const loggedUser: keyof LoggedContext = "loggedUser";

/**
 * Logs the client's address as found by the authorizers. For requests that reached no authorizer, logs the source
 * address, which is that of the edge.
 */
const clientIp: keyof LoggedContext = "clientIp";

/** Start of every line: the time and the origin of a request or a message. */
const originFields = {
  requestId: AccessLogField.contextRequestId(),
  extendedRequestId: AccessLogField.contextExtendedRequestId(),
  ip: AccessLogField.contextAuthorizer(clientIp),
  sourceIp: AccessLogField.contextIdentitySourceIp(),
  time: AccessLogField.contextRequestTime(),
};

/**
 * Logs one line of JSON per request. It has the route's path, but no headers, query or error message, so a token or a
 * private key that a caller sends by mistake is not logged.
 */
export const restAccessLogFormat = AccessLogFormat.custom(
  JSON.stringify({
    ...originFields,
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

/** Logs one line of JSON per message, connection and disconnection, without headers, query and content. */
export const streamAccessLogFormat = AccessLogFormat.custom(
  JSON.stringify({
    ...originFields,
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
