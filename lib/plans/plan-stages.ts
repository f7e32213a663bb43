import type { MethodThrottles } from "./method-throttles.ts";

/** A stage of an API that plans cover. `methods` marks that of the REST API, whose methods the plans throttle. */
export type PlanStage = {
  apiId?: string | undefined;
  stage?: string | undefined;
  methods?: boolean | undefined;
};

/** Names a stage as in patch operations on a plan. */
export const stageKey = ({ apiId, stage }: PlanStage): string => `${apiId}:${stage}`;

/** Writes the name of a stage in the form that patch operations on a plan use. */
export const coverageOf = (stages: readonly PlanStage[]): string => stages.map(stageKey).toSorted().join(" ");

/** Adds the throttles of methods to the stage that has them, in the form of a new plan. */
export const withThrottles = <Stage extends PlanStage>(
  stages: readonly Stage[],
  throttle: MethodThrottles,
): (Omit<Stage, "methods"> & { throttle?: MethodThrottles })[] =>
  stages.map(({ methods, ...stage }) => ({ ...stage, ...(methods && { throttle }) }));
