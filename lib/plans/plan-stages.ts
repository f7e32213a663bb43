/** A stage of an API that plans cover. */
export type PlanStage = { apiId?: string | undefined; stage?: string | undefined };

/** A stage as a patch operation on a plan names it. */
export const stageKey = ({ apiId, stage }: PlanStage): string => `${apiId}:${stage}`;

/** Stages as one text, to compare sets of stages by. */
export const coverageOf = (stages: readonly PlanStage[]): string => stages.map(stageKey).toSorted().join(" ");
