/** What Lambda answers to a synchronous Invoke. `functionError` is set when the payload describes an error of the function. */
export type InvokeResult = { payload: string; functionError?: "Unhandled" };

/** Runs a function by its ARN on a JSON event. Rejects only when there is no such function. */
export type Invoke = (functionArn: string, event: unknown) => Promise<InvokeResult>;
