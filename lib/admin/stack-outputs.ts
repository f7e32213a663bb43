import * as v from "valibot";

/** The outputs of the data stack that say where the data and their key are. */
export const StackOutputs = v.object({ TableName: v.string(), KeyId: v.string() });
