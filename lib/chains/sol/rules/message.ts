import type * as v from "valibot";
import type { solMessage } from "./schemas.ts";

/**
 * Everything about a message that depends on the market and the hosts. The rest follows from the intent. A swap either
 * fills the order or fails. A clear makes only the order's marker, so that no other message of the order can have an
 * effect.
 */
export type SolMessage = v.InferOutput<typeof solMessage>;
