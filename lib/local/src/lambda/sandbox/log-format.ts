import { format } from "node:util";

/** From the least to the most important. */
export const logLevels = ["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"] as const;

export type LogLevel = (typeof logLevels)[number];
export type LogFormat = "JSON" | "Text";

export function isLogged(level: LogLevel, threshold: LogLevel): boolean {
  return logLevels.indexOf(level) >= logLevels.indexOf(threshold);
}

/** One line of a function's log, as Lambda writes what the function gives to its console. */
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
    // A circular object, a bigint, or a toJSON that throws.
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
