import type { LogEntry } from "./lambda/lambda.ts";
import { logLine } from "./lambda/sandbox/log.ts";

/** The log of an emulated service: answers that no function gave, events that no function handled, and faults of the runner. */
export function gatewayLog(log: (entry: LogEntry) => void, source = "api-gateway") {
  const write = (level: "WARN" | "ERROR", what: unknown) =>
    log({ source, line: logLine("JSON", level, undefined, [what]) });
  return {
    report: (line: string) => write("WARN", line),
    onFault: (error: unknown) => write("ERROR", error),
  };
}
