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

/** The same for one thing of many. Node's own errors may quote the value at fault, a key maybe: of those only the name. */
export function reasonOf(error: unknown): string {
  const line = errorLine(error);
  if (line !== undefined) return line;
  if (!(error instanceof Error)) return "unknown";
  return error.name === "Error" ? error.message : error.name;
}

/** The SDK marks what a service or the way to it caused; an error of the system names its call. */
function comesFromOutside(error: Error): boolean {
  return "$metadata" in error || "syscall" in error || error.name.endsWith("ProviderError");
}
