/** An error whose message is meant for the operator. It may have several lines. */
export class OperatorError extends Error {
  override readonly name = "OperatorError";
}

/**
 * The text to show for an error: one line, or the message of an {@link OperatorError}.
 *
 * @returns undefined for a bug in this program, which needs a stack trace.
 */
export function errorLine(error: unknown): string | undefined {
  if (error instanceof OperatorError) return error.message;
  if (!(error instanceof Error) || !comesFromOutside(error)) return undefined;
  const { name, message } = error;
  const text = name === "Error" ? message : `${name}: ${message}`;
  return text.replace(/\s+/g, " ").trim();
}

/**
 * The reason of a failure of one item among many. Errors of Node.js are shown by name only: their message may
 * quote the value at fault, which may be a key.
 */
export function reasonOf(error: unknown): string {
  const line = errorLine(error);
  if (line !== undefined) return line;
  if (!(error instanceof Error)) return "unknown";
  return error.name === "Error" ? error.message : error.name;
}

/** The SDK marks errors of a service and of the network. System errors name the system call. */
function comesFromOutside(error: Error): boolean {
  return "$metadata" in error || "syscall" in error || error.name.endsWith("ProviderError");
}
