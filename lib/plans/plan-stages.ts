/** A stage of an API that plans cover. */
export type PlanStage = { apiId?: string | undefined; stage?: string | undefined };

/** Names a stage as in patch operations on a plan. */
export const stageKey = ({ apiId, stage }: PlanStage): string => `${apiId}:${stage}`;

/** Joins stages into one text, to compare sets of stages. */
export const coverageOf = (stages: readonly PlanStage[]): string => stages.map(stageKey).toSorted().join(" ");
