import { type ApiPlace, onlyApi } from "../cloudformation/apis.ts";
import type { ResolvedResource } from "../cloudformation/resource.ts";
import type { Resources } from "../cloudformation/resources.ts";
import type { GatewayRequest } from "../http/messages.ts";
import type { Invoke } from "../lambda/invoke.ts";
import type { FunctionPort } from "../rest-api/function-port.ts";
import type { UsagePlans } from "../usage-plans/usage-plans.ts";
import { connect, type Handshake } from "./connect.ts";
import { readDefinition } from "./definition.ts";
import { disconnectEvent, messageEvent, newId, type Peer } from "./events.ts";
import { contextOf, type Gateway, invokeRoute, reported } from "./gateway.ts";
import { selectRoute } from "./route-selection.ts";

/** A WebSocket API without its sockets. Its methods reject only if the emulation itself fails. */
export type WebSocketApi = {
  /** Address of the API on AWS. */
  place: ApiPlace;
  /** Decides on a handshake. */
  connect(request: GatewayRequest): Promise<Handshake>;
  /**
   * Invokes the route of a message. Resolves to the answer for the client: empty if the function's answer has no body,
   * undefined if the route has no response.
   */
  message(peer: Peer, body: string): Promise<string | undefined>;
  /** Invokes the function of `$disconnect`, if there is one. */
  disconnect(peer: Peer, code: number, reason: string): Promise<void>;
};

export type WebSocketApiOptions = FunctionPort & {
  api: ResolvedResource;
  /** All parts of the API. Resources of other APIs and services are ignored. */
  resources: readonly ResolvedResource[];
  usagePlans: Gateway["usagePlans"];
  report: Gateway["report"];
  now?: () => Date;
};

/**
 * Opens the WebSocket API of the stacks, if they have one.
 *
 * @throws {StartupError} if there are several, or a part of one is not emulated
 */
export function openWebSocketApi(
  resources: Resources,
  invoke: Invoke,
  usagePlans: UsagePlans,
  report: (line: string) => void,
): WebSocketApi | undefined {
  const several = "There are several WebSocket APIs, but only one stream URL.";
  const api = onlyApi(resources, "AWS::ApiGatewayV2::Api", several);
  return api && createWebSocketApi({ ...api, invoke, usagePlans, report });
}

/**
 * Creates a WebSocket API from its CloudFormation resources.
 *
 * @throws {StartupError} if something is not emulated; the message names the resource and the property
 */
export function createWebSocketApi({
  api,
  resources,
  now = () => new Date(),
  ...rest
}: WebSocketApiOptions): WebSocketApi {
  const definition = readDefinition(api, resources);
  const gateway: Gateway = { ...rest, api: definition, now, newId };

  return {
    place: { apiId: definition.apiId, stage: definition.stage },
    connect: (request) => connect(gateway, request),
    message: (peer, body) => answerMessage(gateway, peer, body),
    async disconnect(peer, disconnectStatusCode, disconnectReason) {
      const route = definition.routes.get("$disconnect");
      if (!route) return;
      const occasion = {
        routeKey: "$disconnect",
        eventType: "DISCONNECT",
        disconnectStatusCode,
        disconnectReason,
      } as const;
      const event = disconnectEvent(contextOf(gateway, occasion, peer));
      try {
        await invokeRoute(definition, "$disconnect", route, event, gateway);
      } catch (error) {
        reported(gateway, "$disconnect", error);
      }
    },
  };
}

async function answerMessage(gateway: Gateway, peer: Peer, body: string): Promise<string | undefined> {
  const { api, newId, usagePlans } = gateway;
  const failure = (message: string, requestId: string) =>
    JSON.stringify({ message, connectionId: peer.connectionId, requestId });

  const routeKey = selectRoute(api, body);
  const route = routeKey === undefined ? undefined : api.routes.get(routeKey);
  if (routeKey === undefined || route === undefined) return failure("Forbidden", newId());

  const { apiId, stage } = api;
  const { throttle } = route;
  const { admitted } = usagePlans.admit({ apiId, stage, method: { name: routeKey, throttle } });
  if (!admitted) return failure("Too Many Requests", newId());

  const context = contextOf(gateway, { routeKey, eventType: "MESSAGE", messageId: newId() }, peer);
  try {
    const answer = await invokeRoute(api, routeKey, route, messageEvent(body, context), gateway);
    return route.hasResponse ? answer.body.toString() : undefined;
  } catch (error) {
    reported(gateway, routeKey, error);
    return failure("Internal server error", context.requestId);
  }
}
