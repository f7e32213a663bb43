import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import { arn } from "../account.ts";
import { type GatewayRequest, type GatewayResponse, header, json } from "../http/messages.ts";
import { readTarget } from "../http/paths.ts";
import { runAuthorizer } from "../rest-api/authorizer.ts";
import { GatewayFailure } from "../rest-api/gateway-failure.ts";
import { newRequestIds } from "../rest-api/request-context.ts";
import { authorizerEvent, connectEvent, type Peer } from "./events.ts";
import { contextOf, type Gateway, invokeRoute, reported } from "./gateway.ts";

/** The admitted client with the subprotocol that `$connect` chose, or the answer to a refused one. */
export type Handshake = { peer: Peer; subprotocol: string | undefined } | { refusal: GatewayResponse };

const CONNECT = { routeKey: "$connect", eventType: "CONNECT" } as const;

/** Decides on a handshake. It asks the authorizer, the usage plan and the function of `$connect`, if they exist. */
export async function connect(gateway: Gateway, request: GatewayRequest): Promise<Handshake> {
  // Refuses other paths like AWS refuses an unknown stage, because the stream URL has neither stage nor path.
  if (readTarget(request.target).rawPath !== "/") return { refusal: json(403, { message: "Forbidden" }) };

  const { api, now, newId } = gateway;
  let peer = newPeer(request, newId(), now());
  const refuse = (status: number, message = STATUS_CODES[status] ?? "") => ({
    refusal: json(status, { message, connectionId: peer.connectionId, requestId: newId() }),
  });
  const traceId = header(request, "x-amzn-trace-id") ?? newRequestIds(now(), randomUUID).traceId;

  try {
    const { apiId, authorizer } = api;
    let apiKey: string | undefined;
    if (authorizer) {
      const methodArn = arn("execute-api", `${apiId}/${api.stage}/$connect`);
      const event = authorizerEvent(request, methodArn, contextOf(gateway, CONNECT, peer), traceId);
      const found = await runAuthorizer({ authorizer, apiId, methodArn, event }, gateway, now);
      if (found.refusal) throw found.refusal;
      peer = { ...peer, authorizer: found.context };
      apiKey = found.usageIdentifierKey;
    }
    checkUsage(gateway, apiKey);

    const route = api.routes.get("$connect");
    if (!route) return { peer, subprotocol: undefined };
    const event = connectEvent(request, contextOf(gateway, CONNECT, peer), traceId);
    const answer = await invokeRoute(api, "$connect", route, event, gateway);
    if (answer.status < 200 || answer.status > 299) return refuse(answer.status);
    return { peer, subprotocol: header(answer, "sec-websocket-protocol") };
  } catch (error) {
    const { status, clientMessage } = reported(gateway, "$connect", error);
    return refuse(status, clientMessage ?? "Internal server error");
  }
}

/** @throws {GatewayFailure} INVALID_API_KEY or THROTTLED */
function checkUsage({ api, usagePlans }: Gateway, apiKey: string | undefined): void {
  const { apiId, stage, connectNeedsKey } = api;
  const throttle = api.routes.get("$connect")?.throttle;
  const admission = usagePlans.admit({
    apiId,
    stage,
    ...(connectNeedsKey && { apiKey: { value: apiKey } }),
    method: { name: "$connect", throttle },
  });
  if (!admission.admitted) throw new GatewayFailure(admission.refusal, { reason: admission.reason });
}

function newPeer(request: GatewayRequest, connectionId: string, now: Date): Peer {
  const userAgent = header(request, "user-agent");
  return {
    connectionId,
    connectedAt: now.getTime(),
    domainName: header(request, "host") ?? "",
    identity: { ...(userAgent !== undefined && { userAgent }), sourceIp: request.sourceIp },
  };
}
