import * as v from "valibot";
import { notEmulated, type ResolvedResource, readProperties } from "../cloudformation/resource.ts";
import { type ApiKey, type PlanKey, periods, stageName, stageTaken, type UsagePlan } from "./model.ts";

/** What a template may say of keys and plans. All of it is strict: what is not here stops the runner. */

const text = v.string();
const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** A key's value, in a template and over the API. */
export const keyValue = v.pipe(
  text,
  v.minLength(20, "API Key value should be at least 20 characters"),
  v.maxLength(128, "API Key value exceeds maximum size of 128 characters"),
  v.regex(/^[\dA-Za-z]*$/, "API Key value should be alphanumeric"),
);

// API Gateway does not document what becomes of one without the other.
const throttle = v.pipe(
  v.strictObject({ RateLimit: v.pipe(v.number(), v.minValue(0)), BurstLimit: count }),
  v.transform(({ RateLimit, BurstLimit }) => ({ rateLimit: RateLimit, burstLimit: BurstLimit })),
);

const method = v.pipe(text, v.regex(/^\/.*\/(ANY|DELETE|GET|HEAD|OPTIONS|PATCH|POST|PUT)$/));

const tags = v.pipe(
  v.optional(v.array(v.strictObject({ Key: text, Value: text })), []),
  v.transform((list) => Object.fromEntries(list.map(({ Key, Value }) => [Key, Value]))),
);

const apiKeyProperties = v.strictObject({
  Name: v.optional(text),
  Description: v.optional(text),
  CustomerId: v.optional(text),
  Enabled: v.optional(v.boolean(), false),
  Value: v.optional(keyValue),
  GenerateDistinctId: v.optional(v.literal(true)),
  StageKeys: v.optional(v.array(v.strictObject({ RestApiId: text, StageName: text })), []),
  Tags: tags,
});

const usagePlanProperties = v.strictObject({
  UsagePlanName: v.optional(text),
  Description: v.optional(text),
  ApiStages: v.optional(
    v.array(
      v.strictObject({
        ApiId: text,
        Stage: text,
        Throttle: v.optional(v.record(method, throttle), {}),
      }),
    ),
    [],
  ),
  Throttle: v.optional(throttle),
  Quota: v.optional(
    v.pipe(
      v.strictObject({ Limit: count, Offset: v.optional(count, 0), Period: v.picklist(periods) }),
      v.transform(({ Limit, Offset, Period }) => ({ limit: Limit, offset: Offset, period: Period })),
    ),
  ),
  Tags: tags,
});

const usagePlanKeyProperties = v.strictObject({
  KeyId: text,
  KeyType: v.literal("API_KEY"),
  UsagePlanId: text,
});

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
  const properties = readProperties(apiKeyProperties, resource);
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
  const properties = readProperties(usagePlanProperties, resource);
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
  const { KeyId, UsagePlanId } = readProperties(usagePlanKeyProperties, resource);
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
