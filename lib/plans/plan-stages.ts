/** A stage of an API that plans cover. */
export type PlanStage = { apiId?: string | undefined; stage?: string | undefined };

/** Names a stage as in patch operations on a plan. */
export const stageKey = ({ apiId, stage }: PlanStage): string => `${apiId}:${stage}`;

/** Writes the name of a stage in the form that patch operations on a plan use. */
export const coverageOf = (stages: readonly PlanStage[]): string => stages.map(stageKey).toSorted().join(" ");
