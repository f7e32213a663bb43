import { type ArnComponents, ArnFormat, Stack } from "aws-cdk-lib";
import { PolicyDocument, PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
import type { PlanAction } from "../../operation-types.ts";

type Call = { method: "GET" | "POST" | "PATCH" | "DELETE"; path: string };

/**
 * How IAM knows the calls of API Gateway's control plane: by method and path. It cannot tell one key from another by its
 * name, and the ids are made as users come.
 */
const calls: Record<PlanAction, Call> = {
  CreateApiKey: { method: "POST", path: "/apikeys" },
  GetApiKeys: { method: "GET", path: "/apikeys" },
  DeleteApiKey: { method: "DELETE", path: "/apikeys/*" },
  CreateUsagePlan: { method: "POST", path: "/usageplans" },
  GetUsagePlan: { method: "GET", path: "/usageplans/*" },
  GetUsagePlans: { method: "GET", path: "/usageplans" },
  UpdateUsagePlan: { method: "PATCH", path: "/usageplans/*" },
  DeleteUsagePlan: { method: "DELETE", path: "/usageplans/*" },
  CreateUsagePlanKey: { method: "POST", path: "/usageplans/*/keys" },
  GetUsagePlanKey: { method: "GET", path: "/usageplans/*/keys/*" },
};

/** Lets make these calls of this region's control plane, and no other. */
export function planAccess(scope: Construct, actions: readonly PlanAction[]): PolicyDocument {
  const byMethod = Map.groupBy(
    actions.map((action) => calls[action]),
    ({ method }) => method,
  );
  const statements = [...byMethod].map(
    ([method, allowed]) =>
      new PolicyStatement({
        actions: [`apigateway:${method}`],
        resources: allowed.map(({ path }) => arnOf(scope, path)),
      }),
  );
  return new PolicyDocument({ statements });
}

/** The wildcards among the resources of these calls, as cdk-nag writes them. */
export function planWildcards(scope: Construct, actions: readonly PlanAction[]): string[] {
  const written = { partition: "<AWS::Partition>", region: "<AWS::Region>" };
  const paths = new Set(actions.map((action) => calls[action].path).filter((path) => path.includes("*")));
  return [...paths].map((path) => arnOf(scope, path, written));
}

function arnOf(scope: Construct, path: string, parts: Partial<ArnComponents> = {}): string {
  return Stack.of(scope).formatArn({
    service: "apigateway",
    account: "",
    resource: path,
    arnFormat: ArnFormat.NO_RESOURCE_NAME,
    ...parts,
  });
}
