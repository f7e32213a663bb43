import type { LogEntry } from "./lambda/lambda.ts";
import { logLine } from "./lambda/sandbox/log.ts";

/**
 * The log of a service that the runner plays: why the gateway gave an answer of its own, what became of events that no
 * function has handled, and faults of the runner itself.
 */
export function gatewayLog(log: (entry: LogEntry) => void, source = "api-gateway") {
  const write = (level: "WARN" | "ERROR", what: unknown) =>
    log({ source, line: logLine("JSON", level, undefined, [what]) });
  return {
    report: (line: string) => write("WARN", line),
    onFault: (error: unknown) => write("ERROR", error),
  };
}
