import { AccessLogField, AccessLogFormat } from "aws-cdk-lib/aws-apigateway";

/**
 * One line of JSON per request. The path is that of the route, and there are no headers, no query and no error message:
 * what a caller sends by mistake, a token or a private key, is not kept.
 */
export const accessLogFormat = AccessLogFormat.custom(
  JSON.stringify({
    requestId: AccessLogField.contextRequestId(),
    extendedRequestId: AccessLogField.contextExtendedRequestId(),
    ip: AccessLogField.contextIdentitySourceIp(),
    time: AccessLogField.contextRequestTime(),
    method: AccessLogField.contextHttpMethod(),
    resourcePath: AccessLogField.contextResourcePath(),
    principalId: AccessLogField.contextAuthorizerPrincipalId(),
    status: AccessLogField.contextStatus(),
    errorType: AccessLogField.contextErrorResponseType(),
    authorizerLatency: AccessLogField.contextAuthorizerLatency(),
    integrationLatency: AccessLogField.contextIntegrationLatency(),
    responseLatency: AccessLogField.contextResponseLatency(),
    responseLength: AccessLogField.contextResponseLength(),
  }),
);

/** One line of JSON per message, connection and disconnection, on the same terms: no header, no query and no content. */
export const streamAccessLogFormat = AccessLogFormat.custom(
  JSON.stringify({
    requestId: AccessLogField.contextRequestId(),
    extendedRequestId: AccessLogField.contextExtendedRequestId(),
    ip: AccessLogField.contextIdentitySourceIp(),
    time: AccessLogField.contextRequestTime(),
    routeKey: AccessLogField.contextRouteKey(),
    eventType: AccessLogField.contextEventType(),
    connectionId: AccessLogField.contextConnectionId(),
    principalId: AccessLogField.contextAuthorizerPrincipalId(),
    status: AccessLogField.contextStatus(),
    errorType: AccessLogField.contextErrorResponseType(),
    authorizerLatency: AccessLogField.contextAuthorizerLatency(),
    integrationLatency: AccessLogField.contextIntegrationLatency(),
  }),
);
