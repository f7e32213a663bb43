import type { LogEntry } from "./lambda/lambda.ts";
import { logLine } from "./lambda/sandbox/log.ts";

/**
 * Logs everything that an emulated service does without a function: its own answers, events that no function handled,
 * and errors of the runner.
 */
export function gatewayLog(log: (entry: LogEntry) => void, source = "api-gateway") {
  const write = (level: "WARN" | "ERROR", value: unknown) =>
    log({ source, line: logLine("JSON", level, undefined, [value]) });
  return {
    report: (line: string) => write("WARN", line),
    onFault: (error: unknown) => write("ERROR", error),
  };
}
