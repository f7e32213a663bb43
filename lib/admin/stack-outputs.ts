import * as v from "valibot";

/** The stack that says where the data and their key are. */
export const dataStack = {
  called: "data stack",
  example: "TerminalData",
  outputs: v.object({ TableName: v.string(), KeyId: v.string() }),
};

/** The stack that names the functions which operators invoke. */
export const apiStack = {
  called: "API stack",
  example: "TerminalApi",
  outputs: v.object({ RecordExecutionsFunction: v.string() }),
};

/** The same stack, of which this names the usage plans and says what the names of users' keys and plans begin with. */
export const planStack = {
  ...apiStack,
  outputs: v.object({
    StandardPlanId: v.string(),
    ProPlanId: v.string(),
    PlanPrefix: v.string(),
    PlanStages: v.pipe(
      v.string(),
      v.parseJson(),
      v.array(v.object({ apiId: v.string(), stage: v.string() })),
    ),
  }),
};

export type StackKind = typeof dataStack | typeof apiStack | typeof planStack;

export type OutputsOf<Kind extends StackKind> = v.InferOutput<Kind["outputs"]>;
