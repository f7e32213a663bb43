import { App, Duration, Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import {
  ApiKeySourceType,
  AuthorizationType,
  EndpointType,
  LambdaIntegration,
  MethodLoggingLevel,
  MockIntegration,
  PassthroughBehavior,
  RequestAuthorizer,
  ResponseType,
  RestApi,
  type RestApiProps,
} from "aws-cdk-lib/aws-apigateway";
import { Code, Function as LambdaFunction, Runtime } from "aws-cdk-lib/aws-lambda";
import { account } from "../../src/account.ts";
import type { ResolvedResource } from "../../src/cloudformation/resource.ts";
import type { ApiName } from "./synthesized.ts";

/** Functions that synthesize the APIs in `synthesized/`. */
export const apis: Record<ApiName, () => ResolvedResource[]> = {
  "preflight-one-origin": () => preflight("https://a.example"),
  "preflight-several-origins": () =>
    preflight("https://a.example", "https://b.example", "http://localhost:5173"),
  mock: () =>
    synthesize({}, (api) =>
      api.root.addMethod(
        "GET",
        new MockIntegration({
          passthroughBehavior: PassthroughBehavior.NEVER,
          requestTemplates: { "application/json": '{"statusCode": 200}' },
          integrationResponses: [{ statusCode: "200", responseTemplates: { "application/json": "{}" } }],
        }),
        { methodResponses: [{ statusCode: "200" }] },
      ),
    ),
  guarded: () =>
    synthesize(
      {
        apiKeySourceType: ApiKeySourceType.AUTHORIZER,
        deployOptions: { stageName: "live", tracingEnabled: true, loggingLevel: MethodLoggingLevel.ERROR },
        defaultCorsPreflightOptions: { allowOrigins: ["https://a.example"] },
        cloudWatchRole: true,
      },
      (api, handler) => {
        const authorizer = new RequestAuthorizer(api, "Callers", {
          handler,
          identitySources: [],
          resultsCacheTtl: Duration.seconds(0),
        });
        api.root
          .resourceForPath("/pets/{id}")
          .addMethod("POST", new LambdaIntegration(handler, { timeout: Duration.seconds(5) }), {
            authorizer,
            authorizationType: AuthorizationType.CUSTOM,
          });
        api.addGatewayResponse("NotFound", {
          type: ResponseType.MISSING_AUTHENTICATION_TOKEN,
          statusCode: "404",
          responseHeaders: {
            "Access-Control-Allow-Origin": "method.request.header.Origin",
            Vary: "'Origin'",
          },
          templates: { "application/json": '{"error":"Not found"}' },
        });
      },
    ),
};

function preflight(...allowOrigins: string[]): ResolvedResource[] {
  const defaultCorsPreflightOptions = {
    allowCredentials: true,
    allowHeaders: ["Authorization", "Content-Type"],
    allowMethods: ["GET", "POST"],
    maxAge: Duration.hours(1),
    allowOrigins,
  };
  return synthesize({ defaultCorsPreflightOptions }, (api) =>
    api.root.addResource("pets").addResource("{id}"),
  );
}

/** Synthesizes the API Gateway resources of a stack with one Regional API and one function. */
function synthesize(
  props: RestApiProps,
  build: (api: RestApi, handler: LambdaFunction) => void,
): ResolvedResource[] {
  const stack = new Stack(new App(), "Stack");
  const handler = new LambdaFunction(stack, "Handler", {
    runtime: Runtime.NODEJS_24_X,
    handler: "index.handler",
    code: Code.fromInline("exports.handler = async () => ({})"),
  });
  const api = new RestApi(stack, "Api", { endpointTypes: [EndpointType.REGIONAL], ...props });
  build(api, handler);

  const template = Template.fromStack(stack).toJSON() as { Resources: Record<string, TemplateResource> };
  return Object.entries(template.Resources)
    .filter(([, { Type }]) => Type.startsWith("AWS::ApiGateway::"))
    .map(([logicalId, { Type, Properties }]) => ({
      logicalId,
      type: Type,
      properties: resolve(Properties ?? {}, template.Resources) as Record<string, unknown>,
    }));
}

type TemplateResource = { Type: string; Properties?: Record<string, unknown> };
type Resources = Record<string, TemplateResource>;

/** Resolves only the intrinsics that CDK uses around an API. */
function resolve(value: unknown, resources: Resources): unknown {
  if (Array.isArray(value)) return value.map((item) => resolve(item, resources));
  if (typeof value !== "object" || value === null) return value;
  const [[name, argument] = ["", undefined], ...others] = Object.entries(value);
  if (others.length === 0 && (name === "Ref" || name.startsWith("Fn::"))) {
    return intrinsic(name, resolve(argument, resources), resources);
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(item, resources)]));
}

function intrinsic(name: string, argument: unknown, resources: Resources): unknown {
  const [first, second] = Array.isArray(argument) ? argument : [argument, undefined];
  switch (name) {
    case "Ref":
      return pseudoParameters[first] ?? resources[first]?.Properties?.StageName ?? first;
    case "Fn::Join":
      return second.join(first);
    case "Fn::Split":
      return second.split(first);
    case "Fn::Select":
      return second[first];
    case "Fn::GetAtt":
      if (second === "RootResourceId") return `${first}/root`;
      if (resources[first]?.Type === "AWS::Lambda::Function") return functionArn(first);
      return `${first}.${second}`;
  }
  throw new Error(`${name} is not resolved here`);
}

const pseudoParameters: Record<string, string> = {
  "AWS::AccountId": account.id,
  "AWS::Partition": account.partition,
  "AWS::Region": account.region,
  "AWS::URLSuffix": account.urlSuffix,
};

function functionArn(logicalId: string): string {
  return `arn:${account.partition}:lambda:${account.region}:${account.id}:function:${logicalId}`;
}
