import * as v from "valibot";
import { json } from "./context-values.ts";

/** The keys of the context that choose the address of both APIs. */
export const edgeContext = {
  edge: v.optional(json(v.boolean("must be true or false")), true),
};
