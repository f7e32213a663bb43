/**
 * Logs a fault by its name alone. Messages and stacks of foreign errors may quote what was sent to them, and a request may
 * hold a private key. AWS's request id leads to the rest.
 */
export function logFault(operation: string, error: unknown, details: object = {}): void {
  console.error({ operation, ...nameOf(error), ...details });
}

/** Logs a fault that did not fail the request, in the same form. It raises no alarm on failures. */
export function logWarning(operation: string, error: unknown, details: object = {}): void {
  console.warn({ operation, ...nameOf(error), ...details });
}

/** Logs that the signer has used a wallet's key: `note` says for which order, with the id under which CloudTrail has it. */
export function logSignature(note: object): void {
  console.info({ event: "signTransaction signed", ...note });
}

/** Logs that a wallet's key was sealed to a key of its user's, with the id under which CloudTrail has its use. */
export function logExport(note: object): void {
  console.info({ event: "sealExport sealed", ...note });
}

/** What an alarm counts in the signer's log. */
export const signatureRefused = "signTransaction refused";

/** Logs that the signer was asked for what it never signs. It raises an alarm, but is no fault of the function. */
export function logRefusal(note: object): void {
  console.error({ event: signatureRefused, ...note });
}

/** Reports faults as errors. What kept messages from connections is a warning, and raises no alarm. */
export const reporter = (operation: string) => ({
  onFault: (error: unknown, details?: object) => logFault(operation, error, details),
  onMissed: (error: unknown, details: object) => logWarning(operation, error, details),
});

function nameOf(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: typeof error };
  const metadata = (error as { $metadata?: { requestId?: string; attempts?: number } }).$metadata;
  const cause = error.cause instanceof Error ? error.cause.name : undefined;
  return { error: error.name, cause, awsRequestId: metadata?.requestId, attempts: metadata?.attempts };
}

/** An error for a handler to throw: Lambda logs the stack of what a handler throws, and this one has none. */
export function withoutStack(message: string): Error {
  return Object.assign(new Error(message), { stack: "" });
}
