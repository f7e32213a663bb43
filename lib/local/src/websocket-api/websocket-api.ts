import type { FunctionPort } from "../rest-api/function-port.ts";
import type { GatewayRequest } from "../rest-api/messages.ts";
import type { ResolvedResource } from "../rest-api/resolved-resource.ts";
import { answerMessage } from "./answer-message.ts";
import { connect, type Handshake } from "./connect.ts";
import { disconnectEvent } from "./events.ts";
import { contextOf, type Gateway, reported } from "./gateway.ts";
import { invokeRoute } from "./invoke-route.ts";
import { newId, type Peer } from "./peer.ts";
import { readDefinition } from "./read-definition.ts";

/** Everything of a WebSocket API but its sockets. Each call rejects only for a fault of the emulation itself. */
export type WebSocketApi = {
  /** Decides on a request to connect. */
  connect(request: GatewayRequest): Promise<Handshake>;
  /** Has a message handled. Resolves to what the client gets for it, if anything. */
  message(peer: Peer, body: string): Promise<string | undefined>;
  /** Tells the function of `$disconnect`, if there is one, that a connection is gone. */
  disconnect(peer: Peer, code: number, reason: string): Promise<void>;
};

export type WebSocketApiOptions = FunctionPort & {
  /** The AWS::ApiGatewayV2::Api. */
  api: ResolvedResource;
  /** Everything that belongs to it. Resources of other APIs and other services may be among them. */
  resources: readonly ResolvedResource[];
  usagePlans: Gateway["usagePlans"];
  report: Gateway["report"];
  now?: () => Date;
};

/**
 * A WebSocket API, as its CloudFormation resources describe it.
 *
 * @throws Error that names the resource and what of it is not emulated
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
