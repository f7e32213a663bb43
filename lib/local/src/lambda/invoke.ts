/** Maximum size of an event or answer, in bytes of JSON. */
export const PAYLOAD_LIMIT_BYTES = 6 * 1024 * 1024;

/** Answer to a synchronous Invoke. With `functionError`, the payload describes an error of the function. */
export type InvokeResult = { payload: string; functionError?: "Unhandled" };

/**
 * Invokes a function by ARN with a JSON event. Rejects with {@link EventTooLargeError}, or if the function does not
 * exist.
 */
export type Invoke = (functionArn: string, event: unknown) => Promise<InvokeResult>;

/** Thrown if the event exceeds {@link PAYLOAD_LIMIT_BYTES}. The function is not invoked. */
export class EventTooLargeError extends Error {
  override readonly name = "EventTooLargeError";
}

export function answered(payload: string): InvokeResult {
  const size = Buffer.byteLength(payload);
  if (size <= PAYLOAD_LIMIT_BYTES) return { payload };
  return failure(
    "Function.ResponseSizeTooLarge",
    `Response payload size (${size} bytes) exceeded maximum allowed payload size (${PAYLOAD_LIMIT_BYTES} bytes).`,
  );
}

export function threw(payload: string): InvokeResult {
  return { functionError: "Unhandled", payload };
}

/** @param message e.g. `Task timed out after 3.00 seconds` */
export function timedOut(requestId: string, message: string): InvokeResult {
  return failure("Sandbox.Timedout", `${new Date().toISOString()} ${requestId} ${message}`);
}

/** Builds the result for a process that ended before it answered, by an exit status or a signal. */
export function exited(requestId: string, status: number | null, signal: string | null): InvokeResult {
  const how = signal === null ? `exit status ${status}` : `signal: ${signalNames[signal] ?? signal}`;
  return failure("Runtime.ExitError", `RequestId: ${requestId} Error: Runtime exited with error: ${how}`);
}

const signalNames: Record<string, string> = { SIGABRT: "aborted", SIGKILL: "killed" };

/** Builds the result while the runner stops and sandboxes take no more events. */
export function stopping(): InvokeResult {
  return failure("Runtime.ExitError", "The runner is stopping");
}

function failure(errorType: string, errorMessage: string): InvokeResult {
  return threw(JSON.stringify({ errorType, errorMessage }));
}
