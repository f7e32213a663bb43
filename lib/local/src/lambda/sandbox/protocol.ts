import type { LogFormat, LogLevel } from "./log.ts";

/** The first message to a sandbox. */
export type SandboxSettings = {
  codeFolder: string;
  /** Handler, for example `index.handler`. */
  handler: string;
  timeoutSeconds: number;
  log: { format: LogFormat; level: LogLevel };
  /** Addresses that the sandbox may connect to, as `address:port`. Undefined allows any address. */
  reachable?: readonly string[] | undefined;
  /** Part of the handler's context object that stays the same for every event. */
  context: {
    functionName: string;
    functionVersion: string;
    invokedFunctionArn: string;
    memoryLimitInMB: string;
    logGroupName: string;
    logStreamName: string;
  };
};

/** A later message to a sandbox: one event as JSON. The next one follows only after the answer. */
export type EventMessage = { requestId: string; payload: string };

/** A message from a sandbox, written as one line of JSON. Payloads are also JSON. */
export type Report =
  | { type: "started" }
  | { type: "answer"; payload: string }
  | { type: "error"; payload: string }
  /** Reports that the handler could not be loaded, so this sandbox cannot handle events. */
  | { type: "broken"; payload: string }
  | { type: "log"; line: string };

/** File descriptor for the reports of a sandbox. */
export const REPORTS_FD = 4;

/** Lambda's exit status after an uncaught exception. */
export const UNCAUGHT = 129;
