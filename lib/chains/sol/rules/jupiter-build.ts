import type * as v from "valibot";
import type { CpmmRoute, JupiterRoute } from "./intent.ts";
import type { jupiterBuild } from "./schemas.ts";

/** An instruction that Jupiter has built for a helper key. */
export type JupiterBuild = v.InferOutput<typeof jupiterBuild>;

/** The route of a message, with the instruction that Jupiter has built for it. */
export type MessageRoute = { route: CpmmRoute } | { route: JupiterRoute; build: JupiterBuild };
