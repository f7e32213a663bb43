import { isLogged, type LogFormat, type LogLevel, logLine } from "./log-format.ts";

type ConsoleOptions = {
  format: LogFormat;
  level: LogLevel;
  requestId: () => string | undefined;
  write: (line: string) => void;
};

const levelOf = {
  trace: "TRACE",
  debug: "DEBUG",
  log: "INFO",
  info: "INFO",
  warn: "WARN",
  error: "ERROR",
} as const;

/** Makes the console of this thread write the lines of a function's log. */
export function redirectConsole({ format, level: threshold, requestId, write }: ConsoleOptions): void {
  for (const [method, level] of Object.entries(levelOf)) {
    console[method as keyof typeof levelOf] = isLogged(level, threshold)
      ? (...values: unknown[]) => write(logLine(format, level, requestId(), values))
      : () => {};
  }
}
