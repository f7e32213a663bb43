import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import { json } from "../http/handle.ts";
import { GatewayFailure } from "../rest-api/gateway-failure.ts";
import { type GatewayRequest, type GatewayResponse, headerValues } from "../rest-api/messages.ts";
import { newRequestIds } from "../rest-api/request-context.ts";
import { readTarget } from "../rest-api/request-target.ts";
import { authorize } from "./authorize.ts";
import { authorizerEvent, connectEvent } from "./events.ts";
import { contextOf, type Gateway, reported } from "./gateway.ts";
import { invokeRoute } from "./invoke-route.ts";
import type { Peer } from "./peer.ts";

/** Who is let in, and the subprotocol that `$connect` has chosen; or the answer for who is not. */
export type Handshake = { peer: Peer; subprotocol: string | undefined } | { refusal: GatewayResponse };

const CONNECT = { routeKey: "$connect", eventType: "CONNECT" } as const;

/** Decides on a request to connect: the authorizer, the usage plan, the function of `$connect`, each where there is one. */
export async function connect(gateway: Gateway, request: GatewayRequest): Promise<Handshake> {
  // The stage is not part of the path, and no other path exists. AWS answers so for a stage that there is not.
  if (readTarget(request.target).rawPath !== "/") return { refusal: json(403, { message: "Forbidden" }) };

  const { api, now, newId } = gateway;
  let peer = stranger(request, newId(), now());
  const refuse = (status: number, message = STATUS_CODES[status] ?? "") => ({
    refusal: json(status, { message, connectionId: peer.connectionId, requestId: newId() }),
  });
  const traceId =
    headerValues(request.headers, "x-amzn-trace-id").at(-1) ?? newRequestIds(now(), randomUUID).traceId;

  try {
    const { authorizer } = api;
    let apiKey: string | undefined;
    if (authorizer) {
      const eventFor = (methodArn: string) =>
        authorizerEvent(request, methodArn, contextOf(gateway, CONNECT, peer), traceId);
      const found = await authorize({ request, authorizer, api, eventFor }, gateway, now);
      peer = { ...peer, authorizer: found.context };
      ({ apiKey } = found);
    }
    checkUsage(gateway, apiKey);

    const route = api.routes.get("$connect");
    if (!route) return { peer, subprotocol: undefined };
    const event = connectEvent(request, contextOf(gateway, CONNECT, peer), traceId);
    const { status, headers } = await invokeRoute(api, "$connect", route, event, gateway);
    if (status < 200 || status > 299) return refuse(status);
    return { peer, subprotocol: headerValues(headers, "sec-websocket-protocol").at(-1) };
  } catch (error) {
    const { status, told } = reported(gateway, "$connect", error);
    return refuse(status, told ?? "Internal server error");
  }
}

/** @throws GatewayFailure INVALID_API_KEY, THROTTLED or QUOTA_EXCEEDED */
function checkUsage({ api, usagePlans }: Gateway, apiKey: string | undefined): void {
  const { apiId, stage, connectNeedsKey } = api;
  const admission = usagePlans.admit({
    apiId,
    stage,
    method: "$connect",
    ...(connectNeedsKey && { apiKey: { value: apiKey } }),
  });
  if (admission.admitted) return;
  throw new GatewayFailure(admission.refusal, "reason" in admission ? { reason: admission.reason } : {});
}

function stranger({ headers, sourceIp }: GatewayRequest, connectionId: string, now: Date): Peer {
  const userAgent = headerValues(headers, "user-agent").at(-1);
  return {
    connectionId,
    connectedAt: now.getTime(),
    domainName: headerValues(headers, "host").at(-1) ?? "",
    identity: { ...(userAgent !== undefined && { userAgent }), sourceIp },
  };
}
