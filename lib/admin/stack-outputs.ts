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

export type OutputsOf<Kind extends typeof dataStack | typeof apiStack> = v.InferOutput<Kind["outputs"]>;
