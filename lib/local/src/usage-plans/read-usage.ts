import { notEmulated, type ResolvedResource, readProperties } from "../rest-api/resolved-resource.ts";
import { type ApiKey, type PlanKey, stageName, stageTaken, type UsagePlan } from "./model.ts";
import * as schemas from "./property-schemas.ts";

/** Keys and plans as a template describes them. A key without a value is to get one, once. */
export type UsageTemplate = {
  apiKeys: (Omit<ApiKey, "value" | "createdDate" | "lastUpdatedDate"> & { value: string | undefined })[];
  usagePlans: Omit<UsagePlan, "createdDate">[];
  planKeys: PlanKey[];
  /** All that a plan can cover, as `<API id>:<stage>`. */
  stages: ReadonlySet<string>;
};

const PREFIX = "AWS::ApiGateway::";

/** The types of which this reads the resources. */
export const usageTypes = ["ApiKey", "UsagePlan", "UsagePlanKey"].map((name) => PREFIX + name);

/**
 * Reads the keys and plans of all stacks. Any other resources may be among them.
 *
 * @throws Error that names the resource and what of it is not emulated
 */
export function readUsage(resources: readonly ResolvedResource[]): UsageTemplate {
  const ofType = (type: string) => resources.filter((resource) => resource.type === type);
  const stages = {
    REST: new Set(ofType(`${PREFIX}Stage`).map((stage) => readStage(stage, "RestApiId"))),
    WEBSOCKET: new Set(ofType("AWS::ApiGatewayV2::Stage").map((stage) => readStage(stage, "ApiId"))),
  };
  const keyResources = ofType(`${PREFIX}ApiKey`);
  const planResources = ofType(`${PREFIX}UsagePlan`);
  refuseTwins([...keyResources, ...planResources], "its logical id", ({ logicalId }) => logicalId);
  refuseTwins(keyResources, "Value", ({ properties }) => properties.Value);

  const template: UsageTemplate = {
    apiKeys: keyResources.map(readKey),
    usagePlans: planResources.map((plan) => readPlan(plan, stages)),
    planKeys: [],
    stages: new Set([...stages.REST, ...stages.WEBSOCKET]),
  };
  for (const resource of ofType(`${PREFIX}UsagePlanKey`)) {
    template.planKeys.push(readPlanKey(resource, template));
  }
  return template;
}

function readStage({ properties }: ResolvedResource, apiId: "RestApiId" | "ApiId"): string {
  return stageName({ apiId: String(properties[apiId]), stage: String(properties.StageName) });
}

function readKey(resource: ResolvedResource): UsageTemplate["apiKeys"][number] {
  const properties = readProperties(schemas.apiKey, resource);
  return {
    id: resource.logicalId,
    from: "template",
    value: properties.Value,
    name: properties.Name ?? resource.logicalId,
    description: properties.Description,
    customerId: properties.CustomerId,
    enabled: properties.Enabled,
    stageKeys: properties.StageKeys.map(({ RestApiId, StageName }) => `${RestApiId}/${StageName}`),
    tags: properties.Tags,
  };
}

function readPlan(
  resource: ResolvedResource,
  stages: { REST: ReadonlySet<string>; WEBSOCKET: ReadonlySet<string> },
): UsageTemplate["usagePlans"][number] {
  const properties = readProperties(schemas.usagePlan, resource);
  return {
    id: resource.logicalId,
    from: "template",
    name: properties.UsagePlanName ?? resource.logicalId,
    description: properties.Description,
    apiStages: properties.ApiStages.map(({ ApiId, Stage, Throttle }, at) => {
      const name = stageName({ apiId: ApiId, stage: Stage });
      const hasMethods = Object.keys(Throttle).length > 0;
      const isSocket = stages.WEBSOCKET.has(name);
      if (!isSocket && !stages.REST.has(name)) throw notEmulated(resource, `ApiStages.${at}: ${name}`);
      if (isSocket && hasMethods) {
        throw notEmulated(resource, `ApiStages.${at}.Throttle, as ${name} is of a WebSocket API`);
      }
      return { apiId: ApiId, stage: Stage, ...(hasMethods && { throttle: Throttle }) };
    }),
    throttle: properties.Throttle,
    quota: properties.Quota,
    tags: properties.Tags,
  };
}

function readPlanKey(resource: ResolvedResource, { apiKeys, usagePlans, planKeys }: UsageTemplate): PlanKey {
  const { KeyId, UsagePlanId } = readProperties(schemas.usagePlanKey, resource);
  const plan = usagePlans.find(({ id }) => id === UsagePlanId);
  if (plan === undefined) throw notEmulated(resource, `UsagePlanId "${UsagePlanId}"`);
  if (!apiKeys.some(({ id }) => id === KeyId)) throw notEmulated(resource, `KeyId "${KeyId}"`);
  const taken = stageTaken({ usagePlans, planKeys }, KeyId, plan);
  if (taken) throw notEmulated(resource, `another plan of ${KeyId} on ${stageName(taken)}`);
  return { from: "template", usagePlanId: UsagePlanId, keyId: KeyId };
}

function refuseTwins(
  resources: readonly ResolvedResource[],
  what: string,
  by: (resource: ResolvedResource) => unknown,
): void {
  const seen = new Set<unknown>();
  for (const resource of resources) {
    const value = by(resource);
    if (value !== undefined && seen.has(value)) {
      throw notEmulated(resource, `${what}, which another resource has too`);
    }
    seen.add(value);
  }
}
