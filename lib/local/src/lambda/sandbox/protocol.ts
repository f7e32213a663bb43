import type { LogFormat, LogLevel } from "./log.ts";

/** The first message to a sandbox. */
export type SandboxSettings = {
  codeFolder: string;
  /** E.g. `index.handler`. */
  handler: string;
  timeoutSeconds: number;
  log: { format: LogFormat; level: LogLevel };
  /** The addresses, as `address:port`, that it may connect to. Absent if it may connect to any. */
  reachable?: readonly string[] | undefined;
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

/** Every further message to a sandbox: one event, as JSON. The next one follows only after the answer. */
export type EventMessage = { requestId: string; payload: string };

/** A message from a sandbox, written as one line of JSON. Payloads are JSON in turn. */
export type Report =
  | { type: "started" }
  | { type: "answer"; payload: string }
  | { type: "error"; payload: string }
  /** The handler could not be loaded, so this sandbox cannot handle any event. */
  | { type: "broken"; payload: string }
  | { type: "log"; line: string };

/** The file descriptor that a sandbox writes its reports to. */
export const REPORTS = 4;

/** Lambda's exit status after an uncaught exception. */
export const UNCAUGHT = 129;
