import { Fn, Stack } from "aws-cdk-lib";
import { CfnApiKey, CfnUsagePlan, CfnUsagePlanKey } from "aws-cdk-lib/aws-apigateway";
import { Construct } from "constructs";
import {
  fallbackMethodThrottles,
  type MethodThrottles,
  methodThrottlesOf,
  sharedMethodThrottles,
} from "../../plans/method-throttles.ts";
import {
  requestsPerMinute,
  sharedThrottle,
  type Throttle,
  type TierPlan,
  throttleOf,
} from "../../plans/plan.ts";
import { withThrottles } from "../../plans/plan-stages.ts";
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
 * Usage plans of the tiers and of fallback keys, and the shared plan with its key. makeFallbackKeys and mirrorPlans
 * create all other keys, and mirrorPlans also creates the plans of Enterprise customers. Each plan covers both APIs.
 * CDK's own construct does not support this, so these are plain CloudFormation resources.
 */
export class TierPlans extends Construct {
  readonly #stages: readonly { apiId: string; stage: string; methods?: true }[];
  readonly #apis: TierPlansProps;
  readonly #plans: Readonly<Record<TierPlan | "Fallback", CfnUsagePlan>>;

  constructor(scope: Construct, id: string, apis: TierPlansProps) {
    super(scope, id);
    this.#apis = apis;
    this.#stages = [
      { apiId: apis.rest.restApiId, stage: restStageName, methods: true },
      { apiId: apis.stream.apiId, stage: streamStageName },
    ];
    const tierPlan = (name: TierPlan) => {
      const plan = { requestsPerMinute: requestsPerMinute[name] };
      return this.#addPlan(name, throttleOf(plan), methodThrottlesOf(plan));
    };
    const standard = throttleOf({ requestsPerMinute: requestsPerMinute.Standard });
    this.#plans = {
      Standard: tierPlan("Standard"),
      Pro: tierPlan("Pro"),
      Fallback: this.#addPlan("Fallback", standard, fallbackMethodThrottles(standard)),
    };

    const sharedKey = new CfnApiKey(this, "SharedKey", {
      name: `${Stack.of(this).stackName}/shared`,
      description: "Counts the requests of users without an active key until there are fallback keys",
      enabled: true,
      value: sharedKeyOf(Stack.of(this)),
    });
    new CfnUsagePlanKey(this, "SharedPlanKey", {
      keyId: sharedKey.ref,
      keyType: "API_KEY",
      usagePlanId: this.#addPlan("Shared", sharedThrottle, sharedMethodThrottles(sharedThrottle)).ref,
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
      FALLBACK_PLAN_ID: this.#plans.Fallback.ref,
    };
  }

  #addPlan(name: string, throttle: Throttle, methodThrottles: MethodThrottles): CfnUsagePlan {
    const plan = new CfnUsagePlan(this, name, {
      usagePlanName: `${Stack.of(this).stackName}/${name}`,
      apiStages: withThrottles(this.#stages, methodThrottles),
      throttle,
    });
    plan.node.addDependency(this.#apis.rest.deploymentStage, this.#apis.stream.stage);
    return plan;
  }
}
