import type { LogEntry } from "./lambda/lambda.ts";
import { logLine } from "./lambda/sandbox/log-format.ts";

/** The log of the servers: why the gateway gave an answer of its own, and faults of the runner itself. */
export function gatewayLog(log: (entry: LogEntry) => void) {
  const write = (level: "WARN" | "ERROR", what: unknown) =>
    log({ source: "api-gateway", line: logLine("JSON", level, undefined, [what]) });
  return {
    report: (line: string) => write("WARN", line),
    onFault: (error: unknown) => write("ERROR", error),
  };
}
