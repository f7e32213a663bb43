import { setTimeout as delay } from "node:timers/promises";
import { EventTooLargeError, type Invoke, type InvokeResult } from "../lambda/invoke.ts";
import { type FailureType, GatewayFailure } from "./gateway-failure.ts";

/** The gateway's access to functions. */
export type FunctionPort = {
  invoke: Invoke;
  /** Whether an AWS::Lambda::Permission lets API Gateway invoke the function on behalf of that source. */
  mayInvoke: (functionArn: string, sourceArn: string) => boolean;
};

type FunctionCall = { functionArn: string; sourceArn: string; event: unknown };

/**
 * @param failure the type of the failure if there is no such function, or no permission to invoke it
 * @throws GatewayFailure of that type, or REQUEST_TOO_LARGE if the event is larger than Lambda accepts
 */
export async function invokeFunction(
  port: FunctionPort,
  { functionArn, sourceArn, event }: FunctionCall,
  failure: FailureType,
): Promise<InvokeResult> {
  if (!port.mayInvoke(functionArn, sourceArn)) {
    throw new GatewayFailure(failure, { reason: `${sourceArn} has no permission to invoke ${functionArn}` });
  }
  try {
    return await port.invoke(functionArn, event);
  } catch (error) {
    if (error instanceof EventTooLargeError) throw new GatewayFailure("REQUEST_TOO_LARGE");
    throw new GatewayFailure(failure, { reason: `${functionArn} could not be invoked: ${error}` });
  }
}

/**
 * The result of the work, if it comes in time. Late work continues, and its result is dropped.
 *
 * @throws GatewayFailure INTEGRATION_TIMEOUT
 */
export async function within<Result extends object>(ms: number, work: Promise<Result>): Promise<Result> {
  const timer = new AbortController();
  try {
    const result = await Promise.race([work, delay(ms, undefined, { signal: timer.signal })]);
    if (result) return result;
    throw new GatewayFailure("INTEGRATION_TIMEOUT", {
      reason: `the function has not answered within ${ms} ms`,
    });
  } finally {
    timer.abort();
  }
}
