/** Bytes of JSON in an event or an answer, at most. */
export const PAYLOAD_LIMIT = 6 * 1024 * 1024;

/** The answer to a synchronous Invoke. With `functionError`, the payload describes an error of the function. */
export type InvokeResult = { payload: string; functionError?: "Unhandled" };

/**
 * Invokes a function, by its ARN, with a JSON event. Rejects if there is no such function, and with
 * {@link EventTooLargeError}.
 */
export type Invoke = (functionArn: string, event: unknown) => Promise<InvokeResult>;

/** The event exceeds {@link PAYLOAD_LIMIT}. The function is not invoked. */
export class EventTooLargeError extends Error {
  override readonly name = "EventTooLargeError";
}

export function answered(payload: string): InvokeResult {
  const size = Buffer.byteLength(payload);
  if (size <= PAYLOAD_LIMIT) return { payload };
  return failure(
    "Function.ResponseSizeTooLarge",
    `Response payload size (${size} bytes) exceeded maximum allowed payload size (${PAYLOAD_LIMIT} bytes).`,
  );
}

export function threw(payload: string): InvokeResult {
  return { functionError: "Unhandled", payload };
}

/** @param message e.g. `Task timed out after 3.00 seconds` */
export function timedOut(requestId: string, message: string): InvokeResult {
  return failure("Sandbox.Timedout", `${new Date().toISOString()} ${requestId} ${message}`);
}

/** The process ended before it answered, either with an exit status or by a signal. */
export function exited(requestId: string, status: number | null, signal: string | null): InvokeResult {
  const how = signal === null ? `exit status ${status}` : `signal: ${signalNames[signal] ?? signal}`;
  return failure("Runtime.ExitError", `RequestId: ${requestId} Error: Runtime exited with error: ${how}`);
}

const signalNames: Record<string, string> = { SIGABRT: "aborted", SIGKILL: "killed" };

/** The runner is stopping, so no sandbox takes the event. */
export function stopping(): InvokeResult {
  return failure("Runtime.ExitError", "The runner is stopping");
}

function failure(errorType: string, errorMessage: string): InvokeResult {
  return threw(JSON.stringify({ errorType, errorMessage }));
}
