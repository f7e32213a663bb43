import { randomBytes } from "node:crypto";
import type { GatewayRequest } from "../http/messages.ts";
import { readTarget } from "../http/paths.ts";
import { type AuthorizerContext, commonLogTime } from "../rest-api/request-context.ts";
import { eventHeaders, integrationHeaders } from "../rest-api/request-headers.ts";
import type { WebSocketApiDefinition } from "./definition.ts";

/** The client of a connection, as it appears in every event. */
export type Peer = {
  connectionId: string;
  /** Time of the connection, in milliseconds since the epoch. */
  connectedAt: number;
  domainName: string;
  /** Address and user agent of the client. `userAgent` is absent if the client sent none. */
  identity: { userAgent?: string; sourceIp: string };
  /** Context from the authorizer, if there is one. */
  authorizer?: AuthorizerContext;
};

/** Makes an unguessable id in AWS's format for connections, messages and requests, e.g. `TXzPWdnOjoECGjA=`. */
export function newId(): string {
  return `${randomBytes(11).toString("base64url")}=`;
}

/** Cause of an invocation. */
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

/** Builds the `requestContext` of an event, with recorded keys. */
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

/** Builds the authorizer's event. Documented: it also gets the upgrade's headers and a Content-Length. */
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

/** Builds the event of `$connect`. Recorded: without a query, the keys of the query are absent. */
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

export function messageEvent(body: string, context: RequestContext) {
  return { requestContext: context, body, isBase64Encoded: false };
}

/** Builds the event of `$disconnect`. Recorded: it has these headers, all empty except the host. */
export function disconnectEvent(context: RequestContext) {
  const headers = { Host: context.domainName, "x-api-key": "", "X-Forwarded-For": "", "x-restapi": "" };
  return {
    headers,
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    requestContext: context,
    isBase64Encoded: false,
  };
}
