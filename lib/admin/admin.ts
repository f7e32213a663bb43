import type { Output } from "./output.ts";
import type { PlanTarget } from "./plan-target.ts";
import type { Functions, PlanTargetOptions, Target, TargetOptions } from "./target.ts";

/** What the program has of the world around it. */
export type Admin = {
  /** For results. */
  stdout: Output;
  /** For progress and errors. */
  stderr: Output;
  openTarget(options: TargetOptions): Promise<Target>;
  openFunctions(options: TargetOptions): Promise<Functions>;
  openPlans(options: PlanTargetOptions): Promise<PlanTarget>;
  /** From the call on, Ctrl-C aborts the signal instead of ending the program. */
  interruption(): AbortSignal;
  now(): Date;
};
