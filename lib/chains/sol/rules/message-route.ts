import type * as v from "valibot";
import type { CpmmRoute, CurveRoute, JupiterRoute, PumpPoolRoute } from "./intent.ts";
import type { curveMarket, jupiterBuild, pumpPoolMarket } from "./schemas.ts";

/** An instruction that Jupiter has built for a helper key. */
export type JupiterBuild = v.InferOutput<typeof jupiterBuild>;

/** The state of a bonding curve on which a message depends. */
export type CurveMarket = v.InferOutput<typeof curveMarket>;

/** The state of a pool on PumpSwap on which a message depends. */
export type PumpPoolMarket = v.InferOutput<typeof pumpPoolMarket>;

/** The pool of a message, with the state on which its accounts depend. */
export type PoolMessageRoute =
  | { route: CpmmRoute }
  | { route: CurveRoute; curve: CurveMarket }
  | { route: PumpPoolRoute; pumpPool: PumpPoolMarket };

/** The route of a message, with the instruction that Jupiter has built for it. */
export type MessageRoute = PoolMessageRoute | { route: JupiterRoute; build: JupiterBuild };
