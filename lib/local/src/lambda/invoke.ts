/** What Lambda answers to a synchronous Invoke. `functionError` is set when the payload describes an error of the function. */
export type InvokeResult = { payload: string; functionError?: "Unhandled" };

/** An event beyond what Lambda takes. The function never hears of it. */
export class EventTooLargeError extends Error {
  override readonly name = "EventTooLargeError";
}

/**
 * Runs a function by its ARN on a JSON event. Rejects when there is no such function, and with
 * {@link EventTooLargeError}.
 */
export type Invoke = (functionArn: string, event: unknown) => Promise<InvokeResult>;
