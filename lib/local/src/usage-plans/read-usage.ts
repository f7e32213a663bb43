import * as v from "valibot";
import { notEmulated, type ResolvedResource, readProperties } from "../cloudformation/resource.ts";
import { type ApiKey, type PlanKey, stageName, stageTaken, type UsagePlan } from "./model.ts";

/** Keys and plans of the templates. A key without a value gets one at its first start. */
export type UsageTemplate = {
  apiKeys: (Omit<ApiKey, "value" | "createdDate"> & { value: string | undefined })[];
  usagePlans: UsagePlan[];
  planKeys: PlanKey[];
  /** All stages that a plan can cover, as `<API id>:<stage>`. */
  stages: ReadonlySet<string>;
};

const text = v.string();

/** A key's value, in templates and in calls of the control plane. */
export const keyValue = v.pipe(
  text,
  v.minLength(20, "API Key value should be at least 20 characters"),
  v.maxLength(128, "API Key value exceeds maximum size of 128 characters"),
  v.regex(/^[\dA-Za-z]*$/, "API Key value should be alphanumeric"),
);

// Strict: any other property stops the runner.

const apiKeyProperties = v.strictObject({
  Name: v.optional(text),
  Description: v.optional(text),
  Enabled: v.optional(v.boolean(), false),
  Value: v.optional(keyValue),
});

const throttleProperties = v.pipe(
  v.strictObject({
    RateLimit: v.pipe(v.number(), v.minValue(0)),
    BurstLimit: v.pipe(v.number(), v.integer(), v.minValue(0)),
  }),
  v.transform(({ RateLimit, BurstLimit }) => ({ rateLimit: RateLimit, burstLimit: BurstLimit })),
);

/** A path and a method, such as `/pets/{id}/GET`, in templates and in calls of the control plane. */
export const throttledMethod = v.pipe(
  v.string(),
  v.regex(/^\/.*\/[A-Z]+$/, "A throttled method should be a path and a method, such as /pets/GET"),
);

const usagePlanProperties = v.strictObject({
  UsagePlanName: v.optional(text),
  Description: v.optional(text),
  ApiStages: v.optional(
    v.array(
      v.strictObject({
        ApiId: text,
        Stage: text,
        Throttle: v.optional(v.record(throttledMethod, throttleProperties)),
      }),
    ),
    [],
  ),
  // Requires both limits, because API Gateway does not document the effect of only one.
  Throttle: v.optional(throttleProperties),
});

const usagePlanKeyProperties = v.strictObject({
  KeyId: text,
  KeyType: v.literal("API_KEY"),
  UsagePlanId: text,
});

const PREFIX = "AWS::ApiGateway::";

/** Resource types that this file reads. */
export const usageTypes = ["ApiKey", "UsagePlan", "UsagePlanKey"].map((name) => PREFIX + name);

/**
 * Reads the keys and plans of all stacks, and ignores other resources.
 *
 * @throws {StartupError} if something is not emulated; the message names the resource and the property
 */
export function readUsage(resources: readonly ResolvedResource[]): UsageTemplate {
  const ofType = (type: string) => resources.filter((resource) => resource.type === type);
  const stages = new Set([
    ...ofType(`${PREFIX}Stage`).map((stage) => readStage(stage, "RestApiId")),
    ...ofType("AWS::ApiGatewayV2::Stage").map((stage) => readStage(stage, "ApiId")),
  ]);
  const keyResources = ofType(`${PREFIX}ApiKey`);
  const planResources = ofType(`${PREFIX}UsagePlan`);
  refuseDuplicates([...keyResources, ...planResources], "a logical id", ({ logicalId }) => logicalId);
  refuseDuplicates(keyResources, "a Value", ({ properties }) => properties.Value);

  const template: UsageTemplate = {
    apiKeys: keyResources.map(readKey),
    usagePlans: planResources.map((plan) => readPlan(plan, stages)),
    planKeys: [],
    stages,
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
  const { Name, Description, Enabled, Value } = readProperties(apiKeyProperties, resource);
  return {
    id: resource.logicalId,
    from: "template",
    value: Value,
    name: Name ?? resource.logicalId,
    description: Description,
    enabled: Enabled,
  };
}

function readPlan(resource: ResolvedResource, stages: ReadonlySet<string>): UsagePlan {
  const { UsagePlanName, Description, ApiStages, Throttle } = readProperties(usagePlanProperties, resource);
  return {
    id: resource.logicalId,
    from: "template",
    name: UsagePlanName ?? resource.logicalId,
    description: Description,
    apiStages: ApiStages.map(({ ApiId, Stage, Throttle: throttle }, at) => {
      const name = stageName({ apiId: ApiId, stage: Stage });
      if (!stages.has(name)) throw notEmulated(resource, `ApiStages.${at}: ${name}`);
      return { apiId: ApiId, stage: Stage, ...(throttle && { throttle }) };
    }),
    throttle: Throttle,
  };
}

function readPlanKey(resource: ResolvedResource, { apiKeys, usagePlans, planKeys }: UsageTemplate): PlanKey {
  const { KeyId, UsagePlanId } = readProperties(usagePlanKeyProperties, resource);
  const plan = usagePlans.find(({ id }) => id === UsagePlanId);
  if (plan === undefined) throw notEmulated(resource, `UsagePlanId "${UsagePlanId}"`);
  if (!apiKeys.some(({ id }) => id === KeyId)) throw notEmulated(resource, `KeyId "${KeyId}"`);
  const taken = stageTaken({ usagePlans, planKeys }, KeyId, plan);
  if (taken) throw notEmulated(resource, `another plan of ${KeyId} on ${stageName(taken)}`);
  return { from: "template", usagePlanId: UsagePlanId, keyId: KeyId };
}

function refuseDuplicates(
  resources: readonly ResolvedResource[],
  subject: string,
  by: (resource: ResolvedResource) => unknown,
): void {
  const seen = new Set<unknown>();
  for (const resource of resources) {
    const value = by(resource);
    if (value !== undefined && seen.has(value)) {
      throw notEmulated(resource, `${subject} that another resource has, too`);
    }
    seen.add(value);
  }
}
