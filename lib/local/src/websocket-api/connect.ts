import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import { arn } from "../account.ts";
import { type GatewayRequest, type GatewayResponse, headerValues, json } from "../http/messages.ts";
import { readTarget } from "../http/paths.ts";
import { contextStrings, evaluatePolicy, readAuthorizerResult, refusalOf } from "../rest-api/authorizer.ts";
import { type FunctionPort, invokeFunction } from "../rest-api/function-port.ts";
import { GatewayFailure } from "../rest-api/gateway-failure.ts";
import { type AuthorizerContext, newRequestIds } from "../rest-api/request-context.ts";
import type { ConnectAuthorizer, WebSocketApiDefinition } from "./definition.ts";
import { authorizerEvent, connectEvent, type Peer } from "./events.ts";
import { contextOf, type Gateway, invokeRoute, reported } from "./gateway.ts";

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

type Asked = {
  request: GatewayRequest;
  authorizer: ConnectAuthorizer;
  api: WebSocketApiDefinition;
  eventFor: (methodArn: string) => ReturnType<typeof authorizerEvent>;
};

/**
 * Has the authorizer decide on a request to connect.
 *
 * @returns what it has found, for the events of the connection, and the value of the caller's API key
 * @throws GatewayFailure when it does not let the client in, or has not come to a decision
 */
export async function authorize(
  { request, authorizer, api: { apiId, stage }, eventFor }: Asked,
  functions: FunctionPort,
  now: () => Date,
): Promise<{ context: AuthorizerContext; apiKey: string | undefined }> {
  const isThere = (name: string) => headerValues(request.headers, name).some((value) => value !== "");
  if (!authorizer.requiredHeaders.every(isThere)) throw new GatewayFailure("UNAUTHORIZED");

  const methodArn = arn("execute-api", `${apiId}/${stage}/$connect`);
  const begun = now();
  const result = await invokeFunction(
    functions,
    {
      functionArn: authorizer.functionArn,
      sourceArn: arn("execute-api", `${apiId}/authorizers/${authorizer.id}`),
      event: eventFor(methodArn),
    },
    "AUTHORIZER_CONFIGURATION_ERROR",
  );
  const { principalId, policyDocument, context, usageIdentifierKey } = readAuthorizerResult(result);
  const refusal = refusalOf(evaluatePolicy(policyDocument, methodArn));
  if (refusal) throw refusal;
  const integrationLatency = now().getTime() - begun.getTime();
  return {
    context: { ...contextStrings(context), principalId, integrationLatency },
    apiKey: usageIdentifierKey ?? undefined,
  };
}
