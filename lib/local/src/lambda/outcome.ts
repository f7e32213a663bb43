import type { InvokeResult } from "./invoke.ts";

/** Bytes of JSON that an event or an answer may have. */
export const PAYLOAD_LIMIT = 6 * 1024 * 1024;

function failure(errorType: string, errorMessage: string): InvokeResult {
  return { functionError: "Unhandled", payload: JSON.stringify({ errorType, errorMessage }) };
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

/** A process that ended before it answered: by itself, with a status, or by a signal. */
export function exited(requestId: string, status: number | null, signal: string | null): InvokeResult {
  const how = signal === null ? `exit status ${status}` : `signal: ${signalNames[signal] ?? signal}`;
  return failure("Runtime.ExitError", `RequestId: ${requestId} Error: Runtime exited with error: ${how}`);
}

const signalNames: Record<string, string> = { SIGABRT: "aborted", SIGKILL: "killed" };

/** An event that no sandbox will handle any more. */
export function stopping(): InvokeResult {
  return failure("Runtime.ExitError", "The runner is stopping");
}
