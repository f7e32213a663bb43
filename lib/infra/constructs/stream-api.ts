import { Stack } from "aws-cdk-lib";
import {
  LogGroupLogDestination,
  WebSocketApi,
  WebSocketApiKeySelectionExpression,
  WebSocketStage,
} from "aws-cdk-lib/aws-apigatewayv2";
import type { Construct, IDependable } from "constructs";
import { streamAccessLogFormat } from "./access-log-format.ts";
import { RetainedLogGroup } from "./retained-log-group.ts";
import { stageName } from "./stage-name.ts";

export type StreamApiProps = {
  /** What must be there before API Gateway agrees to write access logs. */
  logging: IDependable;
};

/**
 * The WebSocket API with its one stage, before it has routes. Its default address stays open beside a domain name: it is
 * where functions push to connections. Execution logs are off, as they are by default: they may quote messages and tokens.
 */
export class StreamApi extends WebSocketApi {
  readonly stage: WebSocketStage;

  constructor(scope: Construct, id: string, { logging }: StreamApiProps) {
    super(scope, id, {
      apiName: `${Stack.of(scope).stackName}${id}`,
      description: "Trading terminal: prices, orders and positions as they change",
      routeSelectionExpression: "$request.body.type",
      apiKeySelectionExpression: WebSocketApiKeySelectionExpression.AUTHORIZER_USAGE_IDENTIFIER_KEY,
    });
    this.stage = new WebSocketStage(this, "Stage", {
      webSocketApi: this,
      stageName,
      autoDeploy: true,
      detailedMetricsEnabled: true,
      accessLogSettings: {
        destination: new LogGroupLogDestination(new RetainedLogGroup(scope, `${id}AccessLog`)),
        format: streamAccessLogFormat,
      },
    });
    this.stage.node.addDependency(logging);
  }
}
