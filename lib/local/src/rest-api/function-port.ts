import { setTimeout as delay } from "node:timers/promises";
import { EventTooLargeError, type Invoke, type InvokeResult } from "../lambda/invoke.ts";
import { type FailureType, GatewayFailure } from "./gateway-failure.ts";

/** The interface through which API Gateway invokes functions. */
export type FunctionPort = {
  invoke: Invoke;
  /** True if an AWS::Lambda::Permission lets API Gateway invoke the function for this source. */
  mayInvoke: (functionArn: string, sourceArn: string) => boolean;
};

type FunctionCall = { functionArn: string; sourceArn: string; event: unknown };

/**
 * Invokes a function after checking the permission.
 *
 * @param failure the failure's type if the function does not exist or may not be invoked
 * @throws {GatewayFailure} of that type, or REQUEST_TOO_LARGE if the event is larger than Lambda accepts
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
 * Waits for work, but at most `ms` milliseconds. Late work continues, and its result is dropped.
 *
 * @throws {GatewayFailure} INTEGRATION_TIMEOUT
 */
export async function within<Result extends object>(ms: number, work: Promise<Result>): Promise<Result> {
  const timer = new AbortController();
  try {
    const result = await Promise.race([work, delay(ms, undefined, { signal: timer.signal })]);
    if (result) return result;
    throw new GatewayFailure("INTEGRATION_TIMEOUT", {
      reason: `the function did not answer within ${ms} ms`,
    });
  } finally {
    timer.abort();
  }
}
