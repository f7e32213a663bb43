import { messageEvent } from "./events.ts";
import { contextOf, type Gateway, reported } from "./gateway.ts";
import { invokeRoute } from "./invoke-route.ts";
import type { Peer } from "./peer.ts";
import { selectRoute } from "./route-selection.ts";

/** Has a message handled. Resolves to what the client gets for it, if anything. */
export async function answerMessage(gateway: Gateway, peer: Peer, body: string): Promise<string | undefined> {
  const { api, newId } = gateway;
  const failure = (message: string, requestId: string) =>
    JSON.stringify({ message, connectionId: peer.connectionId, requestId });

  const routeKey = selectRoute(api, body);
  const route = routeKey === undefined ? undefined : api.routes.get(routeKey);
  if (routeKey === undefined || route === undefined) return failure("Forbidden", newId());

  const context = contextOf(gateway, { routeKey, eventType: "MESSAGE", messageId: newId() }, peer);
  try {
    const answer = await invokeRoute(api, routeKey, route, messageEvent(body, context), gateway);
    return route.hasResponse && answer.body.length > 0 ? answer.body.toString() : undefined;
  } catch (error) {
    reported(gateway, routeKey, error);
    return failure("Internal server error", context.requestId);
  }
}
