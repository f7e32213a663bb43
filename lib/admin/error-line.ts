import { OperatorError } from "./operator-error.ts";

/**
 * What an operator is told of an error, in one line for all but {@link OperatorError}, which may list several things.
 *
 * @returns undefined for an error that nothing outside of this program explains.
 */
export function errorLine(error: unknown): string | undefined {
  if (error instanceof OperatorError) return error.message;
  if (!(error instanceof Error) || !comesFromOutside(error)) return undefined;
  const { name, message } = error;
  const text = name === "Error" ? message : `${name}: ${message}`;
  return text.replace(/\s+/g, " ").trim();
}

/** The SDK marks what a service or the way to it caused; an error of the system names its call. */
function comesFromOutside(error: Error): boolean {
  return "$metadata" in error || "syscall" in error || error.name.endsWith("ProviderError");
}
