/** An error whose message is shown to the operator. The message may have several lines. */
export class OperatorError extends Error {
  override readonly name = "OperatorError";
}

/**
 * Returns the text to show for an error: one line, or the message of an {@link OperatorError}.
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
 * Describes why one item among many failed. Errors of Node.js are shown only by name, because their messages may quote
 * a secret key.
 */
export function reasonOf(error: unknown): string {
  const line = errorLine(error);
  if (line !== undefined) return line;
  if (!(error instanceof Error)) return "unknown";
  return error.name === "Error" ? error.message : error.name;
}

/**
 * True for errors of a service, the network or the system. The SDK marks errors of the first two kinds, and system
 * errors name their system call.
 */
function comesFromOutside(error: Error): boolean {
  return "$metadata" in error || "syscall" in error || error.name.endsWith("ProviderError");
}
