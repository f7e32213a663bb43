import { arn } from "../account.ts";
import type { GatewayResponse } from "../http/messages.ts";
import { type FunctionPort, invokeFunction, within } from "../rest-api/function-port.ts";
import { GatewayFailure } from "../rest-api/gateway-failure.ts";
import { proxyResponse } from "../rest-api/proxy-integration.ts";
import type { UsagePlans } from "../usage-plans/usage-plans.ts";
import type { Route, WebSocketApiDefinition } from "./definition.ts";
import { type Occasion, type Peer, requestContext } from "./events.ts";

/** What everything that happens to a connection needs. */
export type Gateway = FunctionPort & {
  api: WebSocketApiDefinition;
  /** Those of all APIs. */
  usagePlans: UsagePlans;
  now: () => Date;
  /** Makes an id in the form of API Gateway. */
  newId: () => string;
  /** Hears the reason of an answer that does not tell it. Nothing that a client has sent is in it. */
  report: (line: string) => void;
};

/** The context of an event that is about to be sent. */
export function contextOf({ api, now, newId }: Gateway, occasion: Occasion, peer: Peer) {
  return requestContext(occasion, peer, api, { requestId: newId(), now: now() });
}

/**
 * The failure that stands behind an error, told to who watches the runner.
 *
 * @throws the error itself when it is a fault of the emulation
 */
export function reported({ report }: Gateway, routeKey: string, error: unknown): GatewayFailure {
  if (!(error instanceof GatewayFailure)) throw error;
  if (error.reason) report(`${routeKey}: ${error.reason}`);
  return error;
}

/**
 * The answer of the function behind a route.
 *
 * @throws GatewayFailure when there is none in time, or it is malformed
 */
export async function invokeRoute(
  { apiId, stage }: WebSocketApiDefinition,
  routeKey: string,
  { functionArn, timeoutMs }: Route,
  event: object,
  functions: FunctionPort,
): Promise<GatewayResponse> {
  const sourceArn = arn("execute-api", `${apiId}/${stage}/${routeKey}`);
  const work = invokeFunction(functions, { functionArn, sourceArn, event }, "INTEGRATION_FAILURE");
  return proxyResponse(await within(timeoutMs, work), false);
}
