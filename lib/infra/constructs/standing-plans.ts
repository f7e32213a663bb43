import { Aws, Fn, Stack } from "aws-cdk-lib";
import { CfnApiKey, CfnUsagePlan, CfnUsagePlanKey } from "aws-cdk-lib/aws-apigateway";
import { Construct } from "constructs";
import type { PlanStage } from "../../aws/plan-stages.ts";
import {
  fallbackThrottle,
  requestsPerMinute,
  type Throttle,
  type TierPlan,
  throttleOf,
} from "../../domain/plan.ts";
import type { Environment } from "../environment.ts";
import { stageName } from "./stage-name.ts";
import type { StreamApi } from "./stream-api.ts";
import type { TerminalRestApi } from "./terminal-rest-api.ts";

export type StandingPlansProps = { rest: TerminalRestApi; stream: StreamApi };

/** What functions have to know of plans. */
export type PlanEnvironment = Pick<
  Environment,
  "FALLBACK_KEY" | "PLAN_STAGES" | "PLAN_PREFIX" | "STANDARD_PLAN_ID" | "PRO_PLAN_ID"
>;

/**
 * The 32 hexadecimal digits of the stack's id, which AWS makes at random: no template and no output holds them. They are
 * no password, since a client cannot present a key: only the authorizers name one.
 */
const fallbackKeyValue = Fn.join("", Fn.split("-", Fn.select(2, Fn.split("/", Aws.STACK_ID))));

/**
 * The usage plans that many users are on, and the one key that requests count on whose user has none yet. The users' own
 * keys are made by mirrorPlans, as are the plans of customers. Each plan covers both APIs, which CDK's own construct
 * cannot say: so these are the resources themselves.
 */
export class StandingPlans extends Construct {
  readonly #stages: readonly (PlanStage & CfnUsagePlan.ApiStageProperty)[];
  readonly #apis: StandingPlansProps;
  readonly #plans: Readonly<Record<TierPlan, CfnUsagePlan>>;

  constructor(scope: Construct, id: string, apis: StandingPlansProps) {
    super(scope, id);
    this.#apis = apis;
    this.#stages = [apis.rest.restApiId, apis.stream.apiId].map((apiId) => ({ apiId, stage: stageName }));
    const standing = (name: TierPlan) =>
      this.#addPlan(name, throttleOf({ requestsPerMinute: requestsPerMinute[name] }));
    this.#plans = { Standard: standing("Standard"), Pro: standing("Pro") };

    const fallbackKey = new CfnApiKey(this, "SharedKey", {
      name: `${Stack.of(this).stackName}/shared`,
      description: "What requests count on whose user has no active key yet",
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
    const { stackName } = Stack.of(this);
    return {
      FALLBACK_KEY: fallbackKeyValue,
      PLAN_STAGES: Stack.of(this).toJsonString(this.#stages),
      PLAN_PREFIX: `${stackName}/user/`,
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
