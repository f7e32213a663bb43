import { format } from "node:util";

/** Levels from the least to the most severe. */
export const logLevels = ["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"] as const;

export type LogLevel = (typeof logLevels)[number];
export type LogFormat = "JSON" | "Text";

type ConsoleOptions = {
  format: LogFormat;
  /** Drops lines below this level. */
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

/** Redirects this process's console to the function's log. */
export function redirectConsole({ format, level: threshold, requestId, write }: ConsoleOptions): void {
  for (const [method, level] of Object.entries(levelOf)) {
    console[method as keyof typeof levelOf] =
      logLevels.indexOf(level) >= logLevels.indexOf(threshold)
        ? (...values: unknown[]) => write(logLine(format, level, requestId(), values))
        : () => {};
  }
}

/** Formats the arguments of one console call as Lambda does. */
export function logLine(form: LogFormat, level: LogLevel, requestId: string | undefined, values: unknown[]) {
  const timestamp = new Date().toISOString();
  if (form === "Text") {
    return [timestamp, requestId, level, format(...values)].join("\t").replaceAll("\n", "\r");
  }
  const [first] = values;
  const head = { timestamp, level, requestId };
  if (values.length !== 1) return json({ ...head, message: format(...values), ...firstError(values) });
  try {
    return json({ ...head, message: first });
  } catch {
    // Formats values that JSON cannot represent, such as circular objects and bigints. A toJSON method may also throw.
    return json({ ...head, message: format(first) });
  }
}

function firstError(values: unknown[]): object {
  const error = values.find((value) => value instanceof Error);
  return error === undefined ? {} : describe(error);
}

function json(line: object): string {
  return JSON.stringify(line, (_, value) =>
    value instanceof Error ? { ...describe(value), ...value } : value,
  );
}

function describe(error: Error) {
  return {
    errorType: error.constructor?.name ?? "UnknownError",
    errorMessage: error.message,
    stackTrace: error.stack?.split("\n") ?? [],
  };
}
