import type { Output } from "./output.ts";
import type { Functions, Target, TargetOptions } from "./target.ts";

/** What the program has of the world around it. */
export type Admin = {
  /** For results. */
  stdout: Output;
  /** For progress and errors. */
  stderr: Output;
  openTarget(options: TargetOptions): Promise<Target>;
  openFunctions(options: TargetOptions): Promise<Functions>;
  /** From the call on, Ctrl-C aborts the signal instead of ending the program. */
  interruption(): AbortSignal;
  now(): Date;
};
