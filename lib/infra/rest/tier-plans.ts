import { Fn, Stack } from "aws-cdk-lib";
import { CfnApiKey, CfnUsagePlan, CfnUsagePlanKey } from "aws-cdk-lib/aws-apigateway";
import { Construct } from "constructs";
import {
  requestsPerMinute,
  sharedThrottle,
  type Throttle,
  type TierPlan,
  throttleOf,
} from "../../plans/plan.ts";
import type { PlanStage } from "../../plans/plan-stages.ts";
import { keyPrefixOf } from "../functions/plan-access.ts";
import type { PlanEnvironment } from "../functions/variables.ts";
import { type StreamApi, streamStageName } from "../websocket/stream-api.ts";
import { restStageName, type TerminalRestApi } from "./rest-api.ts";

export type TierPlansProps = { rest: TerminalRestApi; stream: StreamApi };

/**
 * Takes 32 hexadecimal digits from the stack's id, which AWS generates. The values of the fallback keys are computed
 * from them. The digits need not be secret, because only authorizers name a key and clients cannot.
 */
const sharedKeyOf = ({ stackId }: Stack): string =>
  Fn.join("", Fn.split("-", Fn.select(2, Fn.split("/", stackId))));

/**
 * Usage plans of the tiers, and the shared plan with its key. makeFallbackKeys and mirrorPlans create all other keys,
 * and mirrorPlans also creates the plans of Enterprise customers. Each plan covers both APIs. CDK's own construct does
 * not support this, so these are plain CloudFormation resources.
 */
export class TierPlans extends Construct {
  readonly #stages: readonly (PlanStage & CfnUsagePlan.ApiStageProperty)[];
  readonly #apis: TierPlansProps;
  readonly #plans: Readonly<Record<TierPlan, CfnUsagePlan>>;

  constructor(scope: Construct, id: string, apis: TierPlansProps) {
    super(scope, id);
    this.#apis = apis;
    this.#stages = [
      { apiId: apis.rest.restApiId, stage: restStageName },
      { apiId: apis.stream.apiId, stage: streamStageName },
    ];
    const tierPlan = (name: TierPlan) =>
      this.#addPlan(name, throttleOf({ requestsPerMinute: requestsPerMinute[name] }));
    this.#plans = { Standard: tierPlan("Standard"), Pro: tierPlan("Pro") };

    const sharedKey = new CfnApiKey(this, "SharedKey", {
      name: `${Stack.of(this).stackName}/shared`,
      description: "Counts the requests of users without an active key until there are fallback keys",
      enabled: true,
      value: sharedKeyOf(Stack.of(this)),
    });
    new CfnUsagePlanKey(this, "SharedPlanKey", {
      keyId: sharedKey.ref,
      keyType: "API_KEY",
      usagePlanId: this.#addPlan("Shared", sharedThrottle).ref,
    });
  }

  get environment(): PlanEnvironment {
    return {
      SHARED_KEY: sharedKeyOf(Stack.of(this)),
      PLAN_STAGES: Stack.of(this).toJsonString(this.#stages),
      PLAN_PREFIX: keyPrefixOf(this, "users"),
      FALLBACK_PREFIX: keyPrefixOf(this, "fallback"),
      STANDARD_PLAN_ID: this.#plans.Standard.ref,
      PRO_PLAN_ID: this.#plans.Pro.ref,
    };
  }

  #addPlan(name: string, throttle: Throttle): CfnUsagePlan {
    const plan = new CfnUsagePlan(this, name, {
      usagePlanName: `${Stack.of(this).stackName}/${name}`,
      apiStages: [...this.#stages],
      throttle,
    });
    plan.node.addDependency(this.#apis.rest.deploymentStage, this.#apis.stream.stage);
    return plan;
  }
}
