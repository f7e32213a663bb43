import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { App, Aws, CfnOutput, Duration, Stack } from "aws-cdk-lib";
import { DomainName, WebSocketApi, WebSocketStage } from "aws-cdk-lib/aws-apigatewayv2";
import { WebSocketLambdaAuthorizer } from "aws-cdk-lib/aws-apigatewayv2-authorizers";
import { WebSocketLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import { CachePolicy, Distribution, OriginRequestPolicy } from "aws-cdk-lib/aws-cloudfront";
import { HttpOrigin } from "aws-cdk-lib/aws-cloudfront-origins";
import * as lambda from "aws-cdk-lib/aws-lambda";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { temporaryFolder } from "../fixtures/folder.ts";

const managementApi = JSON.stringify(import.meta.resolve("@aws-sdk/client-apigatewaymanagementapi"));

/** Handles every route. Admits clients with a token, pushes on demand and answers with its event. */
const functionCode = `
  import { ApiGatewayManagementApiClient, PostToConnectionCommand } from ${managementApi};
  const client = new ApiGatewayManagementApiClient();

  export const handler = async (event) => {
    const { eventType, routeKey, connectionId: ConnectionId } = event.requestContext;
    if (event.type === "REQUEST") {
      const token = event.headers["Sec-WebSocket-Protocol"]?.split(",")[1]?.trim();
      if (token === undefined) throw new Error("Unauthorized");
      const Statement = [{ Effect: "Allow", Action: "execute-api:Invoke", Resource: event.methodArn }];
      return { principalId: token, policyDocument: { Version: "2012-10-17", Statement } };
    }
    const byEdge = event.headers?.["x-origin-key"] === process.env.ORIGIN_KEY;
    console.log(eventType, (event.requestContext.disconnectStatusCode ?? routeKey) + (byEdge ? " by the edge" : ""));
    if (eventType === "CONNECT") return { statusCode: 200, headers: { "Sec-WebSocket-Protocol": "access_token" } };
    if (eventType === "DISCONNECT") return { statusCode: 200 };
    if (routeKey === "push") await client.send(new PostToConnectionCommand({ ConnectionId, Data: "pushed" }));
    const { principalId } = event.requestContext.authorizer;
    return { statusCode: 200, body: routeKey + " for " + principalId + " at " + process.env.CALLBACK_URL };
  };`;

/** Synthesizes a stack with a WebSocket API, and a distribution in front of it. Returns the folder of its assembly. */
export function synthesizeWebSocket(): string {
  const outdir = temporaryFolder();
  const code = temporaryFolder();
  writeFileSync(join(code, "index.mjs"), functionCode);

  const app = new App({ outdir, analyticsReporting: false });
  const stack = new Stack(app, "Stream");
  const handler = new lambda.Function(stack, "Function", {
    functionName: "streamer",
    runtime: lambda.Runtime.NODEJS_24_X,
    handler: "index.handler",
    code: lambda.Code.fromAsset(code),
    timeout: Duration.seconds(20),
    loggingFormat: lambda.LoggingFormat.JSON,
  });
  const to = (name: string) => ({ integration: new WebSocketLambdaIntegration(name, handler) });
  const api = new WebSocketApi(stack, "Api", {
    routeSelectionExpression: "$request.body.type",
    connectRouteOptions: {
      ...to("Connect"),
      authorizer: new WebSocketLambdaAuthorizer("Authorize", handler, { identitySource: [] }),
    },
    disconnectRouteOptions: to("Disconnect"),
    defaultRouteOptions: to("Unknown"),
  });
  for (const key of ["push", "ping"]) api.addRoute(key, { ...to(key), returnResponse: true });
  const domainName = new DomainName(stack, "Domain", {
    domainName: "stream.example",
    certificate: Certificate.fromCertificateArn(
      stack,
      "Certificate",
      "arn:aws:acm:us-east-1:0:certificate/x",
    ),
  });
  const stage = new WebSocketStage(stack, "Stage", {
    webSocketApi: api,
    stageName: "live",
    autoDeploy: true,
    domainMapping: { domainName },
  });
  stage.grantManagementApiAccess(handler);
  handler.addEnvironment("CALLBACK_URL", stage.callbackUrl);
  handler.addEnvironment("AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI", stage.callbackUrl);

  const key = new Secret(stack, "Key", { generateSecretString: { excludePunctuation: true } });
  const originKey = key.secretValue.unsafeUnwrap();
  handler.addEnvironment("ORIGIN_KEY", originKey);
  new Distribution(stack, "Edge", {
    defaultBehavior: {
      origin: new HttpOrigin(`${api.apiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}`, {
        customHeaders: { "x-origin-key": originKey },
      }),
      cachePolicy: CachePolicy.CACHING_DISABLED,
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      compress: false,
    },
  });

  new CfnOutput(stack, "StreamUrl", { value: stage.url });
  new CfnOutput(stack, "ApiEndpoint", { value: api.apiEndpoint });
  new CfnOutput(stack, "DomainName", { value: domainName.regionalDomainName });
  app.synth();
  return outdir;
}
