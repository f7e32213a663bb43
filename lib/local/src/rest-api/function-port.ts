import { setTimeout as delay } from "node:timers/promises";
import { EventTooLargeError, type Invoke, type InvokeResult } from "../lambda/invoke.ts";
import { type FailureType, GatewayFailure } from "./gateway-failure.ts";

/** How the gateway reaches functions. */
export type FunctionPort = {
  invoke: Invoke;
  /** Whether an AWS::Lambda::Permission lets API Gateway invoke the function on behalf of that source. */
  mayInvoke: (functionArn: string, sourceArn: string) => boolean;
};

type FunctionCall = { functionArn: string; sourceArn: string; event: unknown };

/**
 * @throws GatewayFailure REQUEST_TOO_LARGE for an event beyond what Lambda takes, and of that type when there is no such
 * function, or no permission to invoke it
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
 * What comes of the work within that time. Work that takes longer goes on, and nobody hears of its end.
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
