import { type ArnComponents, ArnFormat, Stack } from "aws-cdk-lib";
import { PolicyDocument, PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
import type { Operation, PlanAction } from "../../operations/types.ts";
import { planTag } from "../../plans/usage-plans.ts";
import { deployedStackName } from "./function-stack.ts";

type Condition = "made with the tag" | "has the tag";

type ControlPlaneCall = {
  method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  path: string;
  condition?: Condition;
};

/**
 * Allows tagging new resources. API Gateway checks this right when a key or a plan is created with tags, and then names
 * the new resource `*`. To IAM, `${*}` is a literal asterisk, so functions cannot add tags to existing resources.
 */
const tagNew = (kind: "apikeys" | "usageplans"): ControlPlaneCall => ({
  method: "PUT",
  path: `/tags/arn%3A{partition}%3Aapigateway%3A{region}%3A%3A%2F${kind}%2F\${*}`,
});

/**
 * Calls of API Gateway's control plane, which IAM names by method and path. The condition on the tag excludes the keys
 * and plans of other programs.
 */
const controlPlaneCalls: Record<PlanAction, readonly ControlPlaneCall[]> = {
  CreateApiKey: [{ method: "POST", path: "/apikeys", condition: "made with the tag" }, tagNew("apikeys")],
  GetApiKeys: [{ method: "GET", path: "/apikeys" }],
  DeleteApiKey: [{ method: "DELETE", path: "/apikeys/*", condition: "has the tag" }],
  CreateUsagePlan: [
    { method: "POST", path: "/usageplans", condition: "made with the tag" },
    tagNew("usageplans"),
  ],
  GetUsagePlan: [{ method: "GET", path: "/usageplans/*" }],
  GetUsagePlans: [{ method: "GET", path: "/usageplans" }],
  UpdateUsagePlan: [{ method: "PATCH", path: "/usageplans/*", condition: "has the tag" }],
  DeleteUsagePlan: [{ method: "DELETE", path: "/usageplans/*", condition: "has the tag" }],
  // Allows adding keys to any plan. The tiers' plans come from the template and have no tag, so no function can change
  // them.
  CreateUsagePlanKey: [{ method: "POST", path: "/usageplans/*/keys" }],
  GetUsagePlanKeys: [{ method: "GET", path: "/usageplans/*/keys" }],
  GetUsagePlanKey: [{ method: "GET", path: "/usageplans/*/keys/*" }],
};

const prefixes = { users: "user", fallback: "fallback" } as const;

/**
 * Prefix of the names of all keys and plans of a kind that are created at run time. It is also the value of their tag.
 */
export const keyPrefixOf = (scope: Construct, keysOf: Operation["keysOf"]): string =>
  `${deployedStackName(scope)}/${prefixes[keysOf]}/`;

const conditionKeys: Record<Condition, string> = {
  "made with the tag": `aws:RequestTag/${planTag}`,
  "has the tag": `aws:ResourceTag/${planTag}`,
};

const callsOf = (actions: readonly PlanAction[]) => actions.flatMap((action) => controlPlaneCalls[action]);

/** Allows a row's calls to the control plane in this region. */
export function planAccess(
  scope: Construct,
  { plans, keysOf }: Pick<Operation, "plans" | "keysOf">,
): PolicyDocument {
  const alike = Map.groupBy(callsOf(plans), ({ method, condition = "none" }) => `${method} ${condition}`);
  const statements = [...alike.values()].map(
    (calls) =>
      new PolicyStatement({
        actions: [`apigateway:${calls[0]?.method}`],
        resources: calls.map(({ path }) => controlPlaneArn(scope, path)),
        conditions: conditionsOf(keyPrefixOf(scope, keysOf), calls[0]?.condition),
      }),
  );
  return new PolicyDocument({ statements });
}

function conditionsOf(prefix: string, condition: Condition | undefined) {
  if (condition === undefined) return {};
  return { StringEquals: { [conditionKeys[condition]]: prefix } };
}

/** Wildcard resources of a row's control plane calls, in cdk-nag's notation. */
export function planWildcards(scope: Construct, actions: readonly PlanAction[]): string[] {
  const notation = { partition: "<AWS::Partition>", region: "<AWS::Region>" };
  const paths = new Set(callsOf(actions).map(({ path }) => path));
  return [...paths]
    .filter((path) => path.includes("*"))
    .map((path) => controlPlaneArn(scope, path, notation).replace(/\$\{\*\}/, "<*>"));
}

function controlPlaneArn(scope: Construct, path: string, parts: Partial<ArnComponents> = {}): string {
  const stack = Stack.of(scope);
  const { partition = stack.partition, region = stack.region } = parts;
  return stack.formatArn({
    service: "apigateway",
    account: "",
    resource: path.replace("{partition}", partition).replace("{region}", region),
    arnFormat: ArnFormat.NO_RESOURCE_NAME,
    ...parts,
  });
}
