import { App, Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { EndpointType, RestApi, type RestApiProps } from "aws-cdk-lib/aws-apigateway";
import { Code, Function as LambdaFunction, Runtime } from "aws-cdk-lib/aws-lambda";
import { account } from "../../src/account.ts";
import type { ResolvedResource } from "../../src/cloudformation/resource.ts";

/** The resources of a stack with one Regional API and one function, as CDK makes them. */
export function synthesize(
  props: RestApiProps,
  build: (api: RestApi, handler: LambdaFunction) => void = () => {},
): { api: ResolvedResource; resources: ResolvedResource[] } {
  const stack = new Stack(new App(), "Stack");
  const handler = new LambdaFunction(stack, "Handler", {
    runtime: Runtime.NODEJS_24_X,
    handler: "index.handler",
    code: Code.fromInline("exports.handler = async () => ({})"),
  });
  const api = new RestApi(stack, "Api", { endpointTypes: [EndpointType.REGIONAL], ...props });
  build(api, handler);

  const template = Template.fromStack(stack).toJSON() as { Resources: Record<string, TemplateResource> };
  const resources = Object.entries(template.Resources).map(([logicalId, { Type, Properties }]) => ({
    logicalId,
    type: Type,
    properties: resolve(Properties ?? {}, template.Resources) as Record<string, unknown>,
  }));
  const restApi = resources.find(({ type }) => type === "AWS::ApiGateway::RestApi");
  if (!restApi) throw new Error("The stack has no REST API");
  return { api: restApi, resources };
}

type TemplateResource = { Type: string; Properties?: Record<string, unknown> };
type Resources = Record<string, TemplateResource>;

/** Just the intrinsics that CDK uses around an API. */
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
