/** A stage of an API, which plans cover. */
export type PlanStage = { apiId?: string | undefined; stage?: string | undefined };

/** A stage as patches of plans write it. */
export const stageKey = ({ apiId, stage }: PlanStage): string => `${apiId}:${stage}`;

/** Stages as one text, to compare by. */
export const coverageOf = (stages: readonly PlanStage[]): string => stages.map(stageKey).toSorted().join(" ");
