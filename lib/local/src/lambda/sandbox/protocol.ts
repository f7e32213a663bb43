import type { LogFormat, LogLevel } from "./log-format.ts";

/** What a sandbox is told first. */
export type SandboxSettings = {
  codeFolder: string;
  /** E.g. `index.handler`. */
  handler: string;
  /** Seconds. */
  timeout: number;
  log: { format: LogFormat; level: LogLevel };
  /** The part of the handler's context object that is the same for every event. */
  context: {
    functionName: string;
    functionVersion: string;
    invokedFunctionArn: string;
    memoryLimitInMB: string;
    logGroupName: string;
    logStreamName: string;
  };
};

/** What it is told then: one event. The next follows only after the answer. */
export type EventMessage = { requestId: string; payload: string };

/** What it says, as a line of JSON each. Payloads are JSON in turn. */
export type Report =
  | { type: "started" }
  | { type: "answer"; payload: string }
  | { type: "error"; payload: string }
  /** The handler could not be loaded: this sandbox will never handle anything. */
  | { type: "broken"; payload: string }
  | { type: "log"; line: string };

/** The sandbox's file descriptor for its reports. */
export const REPORTS = 4;

/** Lambda's exit status after an exception that nobody caught. */
export const UNCAUGHT = 129;
