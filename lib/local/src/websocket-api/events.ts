import { randomBytes } from "node:crypto";
import type { GatewayRequest } from "../http/messages.ts";
import { readTarget } from "../http/paths.ts";
import { type AuthorizerContext, commonLogTime } from "../rest-api/request-context.ts";
import { eventHeaders, integrationHeaders } from "../rest-api/request-headers.ts";
import type { WebSocketApiDefinition } from "./definition.ts";

/** Why a function is invoked. */
export type Occasion =
  | { routeKey: "$connect"; eventType: "CONNECT" }
  | { routeKey: string; eventType: "MESSAGE"; messageId: string }
  | {
      routeKey: "$disconnect";
      eventType: "DISCONNECT";
      disconnectStatusCode: number;
      disconnectReason: string;
    };

type RequestContext = ReturnType<typeof requestContext>;

/** The `requestContext` of an event, with the keys of recorded ones. */
export function requestContext(
  occasion: Occasion,
  { authorizer, ...peer }: Peer,
  { apiId, stage }: WebSocketApiDefinition,
  { requestId, now }: { requestId: string; now: Date },
) {
  return {
    ...occasion,
    ...(authorizer && { authorizer }),
    ...peer,
    apiId,
    stage,
    messageDirection: "IN",
    requestId,
    extendedRequestId: requestId,
    requestTime: commonLogTime(now),
    requestTimeEpoch: now.getTime(),
  };
}

/** The event of the authorizer. Documented: it has the headers of the upgrade, too, and a length. */
export function authorizerEvent(
  request: GatewayRequest,
  methodArn: string,
  context: RequestContext,
  traceId: string,
) {
  const { query } = readTarget(request.target);
  const headers = eventHeaders(
    { ...request, headers: [...request.headers, ["content-length", "0"]] },
    traceId,
    () => false,
  );
  return {
    type: "REQUEST",
    methodArn,
    headers: headers.single,
    multiValueHeaders: headers.multi,
    queryStringParameters: query.single,
    multiValueQueryStringParameters: query.multi,
    stageVariables: {},
    requestContext: context,
  };
}

/** The event of `$connect`. Recorded: without a query its keys are absent. */
export function connectEvent(request: GatewayRequest, context: RequestContext, traceId: string) {
  const { query } = readTarget(request.target);
  const headers = integrationHeaders(request, traceId);
  return {
    headers: headers.single,
    multiValueHeaders: headers.multi,
    ...(Object.keys(query.single).length > 0 && {
      queryStringParameters: query.single,
      multiValueQueryStringParameters: query.multi,
    }),
    requestContext: context,
    isBase64Encoded: false,
  };
}

/** The event of a message. */
export function messageEvent(body: string, context: RequestContext) {
  return { requestContext: context, body, isBase64Encoded: false };
}

/** The event of `$disconnect`. Recorded: these headers, and all but the host empty. */
export function disconnectEvent(context: RequestContext) {
  const headers = { Host: context.domainName, "x-api-key": "", "X-Forwarded-For": "", "x-restapi": "" };
  return {
    headers,
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    requestContext: context,
    isBase64Encoded: false,
  };
}

/** The client of a connection, as every event tells of it. */
export type Peer = {
  connectionId: string;
  /** Milliseconds since the epoch. */
  connectedAt: number;
  domainName: string;
  /** `userAgent` is absent where the client has named none. */
  identity: { userAgent?: string; sourceIp: string };
  /** What the authorizer has found, where there is one. */
  authorizer?: AuthorizerContext;
};

/** An id as API Gateway gives them to connections, messages and requests, e.g. `TXzPWdnOjoECGjA=`. Nobody guesses one. */
export function newId(): string {
  return `${randomBytes(11).toString("base64url")}=`;
}
