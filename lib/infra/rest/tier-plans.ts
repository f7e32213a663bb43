import { Aws, Fn, Stack } from "aws-cdk-lib";
import { CfnApiKey, CfnUsagePlan, CfnUsagePlanKey } from "aws-cdk-lib/aws-apigateway";
import { Construct } from "constructs";
import {
  fallbackThrottle,
  requestsPerMinute,
  type Throttle,
  type TierPlan,
  throttleOf,
} from "../../plans/plan.ts";
import type { PlanStage } from "../../plans/plan-stages.ts";
import { planPrefixOf } from "../functions/plan-access.ts";
import type { PlanEnvironment } from "../functions/variables.ts";
import { type StreamApi, streamStageName } from "../websocket/stream-api.ts";
import { restStageName, type TerminalRestApi } from "./rest-api.ts";

export type TierPlansProps = { rest: TerminalRestApi; stream: StreamApi };

/**
 * The 32 hexadecimal digits of the stack's id, which AWS generates. They need not be secret: only authorizers
 * name a key, clients cannot.
 */
const fallbackKeyValue = Fn.join("", Fn.split("-", Fn.select(2, Fn.split("/", Aws.STACK_ID))));

/**
 * The usage plans of the tiers, and the fallback plan with its key. mirrorPlans creates the users' own keys
 * and the plans of Enterprise customers. Each plan covers both APIs, which CDK's own construct does not
 * support, so these are plain CloudFormation resources.
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

    const fallbackKey = new CfnApiKey(this, "SharedKey", {
      name: `${Stack.of(this).stackName}/shared`,
      description: "Counts the requests of users who have no active key yet",
      enabled: true,
      value: fallbackKeyValue,
    });
    new CfnUsagePlanKey(this, "SharedPlanKey", {
      keyId: fallbackKey.ref,
      keyType: "API_KEY",
      usagePlanId: this.#addPlan("Shared", fallbackThrottle).ref,
    });
  }

  get environment(): PlanEnvironment {
    return {
      FALLBACK_KEY: fallbackKeyValue,
      PLAN_STAGES: Stack.of(this).toJsonString(this.#stages),
      PLAN_PREFIX: planPrefixOf(this),
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
