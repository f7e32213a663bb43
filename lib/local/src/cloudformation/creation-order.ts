import { notDeployable, type Resource } from "./resource.ts";
import type { Resources } from "./resources.ts";

/** Two resources of a stack: `first` must exist before `then`, even if no property of `then` refers to it. */
type Order = { first: Resource; then: Resource };

type Names = Readonly<Record<string, unknown>>;

/**
 * Checks that CloudFormation creates the parts of APIs in an order that API Gateway accepts. Without a reference or a
 * DependsOn, any order is possible.
 *
 * @throws {StartupError} if the order is left open; the message names both resources
 */
export function checkCreationOrder(resources: Resources): void {
  for (const { first, then } of ordersOf(resources)) {
    if (first.stackName !== then.stackName || then.comesAfter(first.logicalId)) continue;
    throw notDeployable(
      then,
      `it needs DependsOn ${first.logicalId} (${first.type}), which must exist before it`,
    );
  }
}

function ordersOf({ ofType }: Resources): Order[] {
  const stages = ofType("AWS::ApiGateway::Stage");
  const streamStages = ofType("AWS::ApiGatewayV2::Stage");
  const pairs = (
    firsts: Resource[],
    thens: Resource[],
    belong: (first: Resource, then: Resource) => boolean,
  ) =>
    thens.flatMap((then) => firsts.filter((first) => belong(first, then)).map((first) => ({ first, then })));
  const sameApi = (first: Resource, then: Resource) => apiOf(first) === apiOf(then);

  return [
    ...pairs(ofType("AWS::ApiGateway::Account"), [...stages, ...streamStages].filter(logs), () => true),
    ...pairs(ofType("AWS::ApiGateway::Method"), ofType("AWS::ApiGateway::Deployment"), sameApi),
    ...pairs([...stages, ...streamStages], ofType("AWS::ApiGateway::UsagePlan"), (stage, plan) =>
      ((plan.property("ApiStages") ?? []) as Names[]).some(
        ({ ApiId, Stage }) => ApiId === apiOf(stage) && Stage === stage.property("StageName"),
      ),
    ),
    ...pairs(
      ofType("AWS::ApiGatewayV2::Route"),
      streamStages,
      (route, stage) =>
        sameApi(route, stage) &&
        Object.hasOwn((stage.property("RouteSettings") ?? {}) as Names, String(route.property("RouteKey"))),
    ),
  ];
}

const apiOf = (part: Resource) => part.property("RestApiId") ?? part.property("ApiId");

/** True for a stage that writes logs and therefore needs a role set for the account. */
function logs(stage: Resource): boolean {
  const settings = (stage.property("MethodSettings") ?? []) as Names[];
  return (
    ["AccessLogSetting", "AccessLogSettings"].some((name) => stage.property(name) !== undefined) ||
    settings.some(({ LoggingLevel = "OFF" }) => LoggingLevel !== "OFF")
  );
}
