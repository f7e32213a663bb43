import { Lazy, Stack } from "aws-cdk-lib";
import {
  ApiMapping,
  type CfnStage,
  DomainName,
  EndpointType,
  LogGroupLogDestination,
  SecurityPolicy,
  WebSocketApi,
  WebSocketApiKeySelectionExpression,
  type WebSocketRoute,
  WebSocketStage,
} from "aws-cdk-lib/aws-apigatewayv2";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import type { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct, IDependable } from "constructs";
import type { Throttle } from "../../plans/plan.ts";
import type { Domain } from "../configuration.ts";
import { RetainedLogGroup, streamAccessLogFormat } from "../monitoring/access-log.ts";

/**
 * Name of the API's only stage, and its path at the edge. A WebSocket API accepts no path after its stage, and
 * CloudFront forwards paths unchanged. It is a literal because a reference would form a cycle, as in the REST API.
 */
export const streamStageName = "stream";

export type StreamApiProps = {
  /** Account settings of API Gateway, which must exist before it writes access logs. */
  logging: IDependable;
};

/**
 * The WebSocket API with its stage, without routes. Its default address stays open even with a custom domain, because
 * functions push to connections there. Execution logs stay off: they may quote messages and tokens.
 */
export class StreamApi extends WebSocketApi {
  readonly stage: WebSocketStage;
  readonly accessLog: LogGroup;
  readonly #routeSettings: Record<string, object> = {};

  constructor(scope: Construct, id: string, { logging }: StreamApiProps) {
    super(scope, id, {
      apiName: `${Stack.of(scope).stackName}${id}`,
      description: "Trading terminal: prices, orders and positions as they change",
      routeSelectionExpression: "$request.body.type",
      apiKeySelectionExpression: WebSocketApiKeySelectionExpression.AUTHORIZER_USAGE_IDENTIFIER_KEY,
    });
    this.accessLog = new RetainedLogGroup(scope, `${id}AccessLog`);
    this.stage = new WebSocketStage(this, "Stage", {
      webSocketApi: this,
      stageName: streamStageName,
      autoDeploy: true,
      accessLogSettings: {
        destination: new LogGroupLogDestination(this.accessLog),
        format: streamAccessLogFormat,
      },
    });
    this.stage.node.addDependency(logging);
    // Sets the routes' throttles, which CDK's stage does not support. CloudFormation takes them as JSON, in which
    // properties have different spellings.
    (this.stage.node.defaultChild as CfnStage).routeSettings = Lazy.any({
      produce: () => this.#routeSettings,
    });
  }

  /** Limits a route for all connections together. API Gateway rejects settings of a route that does not exist yet. */
  throttle(route: WebSocketRoute, { rateLimit, burstLimit }: Throttle): void {
    // Switches off metrics of single routes, which cost $1.50 a month each. Metrics of the stage are free.
    this.#routeSettings[route.routeKey] = {
      DetailedMetricsEnabled: false,
      ThrottlingRateLimit: rateLimit,
      ThrottlingBurstLimit: burstLimit,
    };
    this.stage.node.addDependency(route);
  }
}

/** Serves the WebSocket API at the root of a custom domain. The owner creates the DNS record. */
export function addStreamDomainName(api: StreamApi, { domainName, certificateArn }: Domain): DomainName {
  const name = new DomainName(api, "DomainName", {
    domainName,
    certificate: Certificate.fromCertificateArn(api, "Certificate", certificateArn),
    endpointType: EndpointType.REGIONAL,
    securityPolicy: SecurityPolicy.TLS_1_2,
  });
  new ApiMapping(api, "Mapping", { api, domainName: name, stage: api.stage });
  return name;
}
