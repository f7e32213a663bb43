import { arn } from "../account.ts";
import type { ApiPlace } from "../cloudformation/apis.ts";
import { type GatewayRequest, type GatewayResponse, json, pathOf, type Route } from "../http/messages.ts";
import { guarded, refusal, type ServiceRoute } from "../services.ts";
import type { Connection, StreamLimits } from "./connection.ts";

/** A path of `@connections`, with or without a stage before it, as in the callback URL of a deployed API. */
const CONNECTION = /^(?:\/[\w-]+)?\/@connections\/([^/]+)$/;

export type ConnectionsServiceOptions = {
  /** Finds an open connection by its id. */
  find: (connectionId: string) => Connection | undefined;
  limits: Pick<StreamLimits, "messageBytes">;
  /** Counts a call. Returns false if the account has reached its limit. */
  admit: () => boolean;
  /** API of the connections. Undefined if the stacks have none. */
  place: ApiPlace | undefined;
};

/**
 * Serves the `@connections` API, with which functions send a message to a client, look up its connection, or close it.
 */
export function connectionsService({
  find,
  limits: { messageBytes },
  admit,
  place,
}: ConnectionsServiceOptions): ServiceRoute {
  const methods: Record<string, (connection: Connection, request: GatewayRequest) => GatewayResponse> = {
    GET: ({ peer, lastActiveAt }) =>
      json(200, {
        connectedAt: new Date(peer.connectedAt).toISOString(),
        identity: peer.identity,
        lastActiveAt: new Date(lastActiveAt).toISOString(),
      }),
    POST: (connection, { body }) => {
      if (body.length > messageBytes) {
        return refusal(413, "PayloadTooLargeException", `A message may have at most ${messageBytes} bytes.`);
      }
      if (connection.send(body)) return done(200);
      return limitExceeded("The client does not read its messages.");
    },
    DELETE: (connection) => {
      connection.close(1000, "");
      return done(204);
    },
  };

  const route: Route = (request) => {
    const [, encodedId] = CONNECTION.exec(pathOf(request)) ?? [];
    const answer = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined;
    if (encodedId === undefined || answer === undefined) return undefined;
    // Returns the same error for an account that sends too much and for a client that does not read, as documented.
    if (!admit()) return Promise.resolve(limitExceeded("Too many requests"));
    const connection = find(decoded(encodedId));
    return Promise.resolve(connection ? answer(connection, request) : gone);
  };
  return guarded(route, (request) => {
    const [, encodedId] = CONNECTION.exec(pathOf(request)) ?? [];
    if (encodedId === undefined || place === undefined) return [];
    const resource = `${place.apiId}/${place.stage}/${request.method}/@connections/${decoded(encodedId)}`;
    return [{ action: "execute-api:ManageConnections", resource: arn("execute-api", resource), values: {} }];
  });
}

function limitExceeded(message: string): GatewayResponse {
  return refusal(429, "LimitExceededException", message);
}

const gone = refusal(410, "GoneException", "There is no such connection.");

function done(status: number): GatewayResponse {
  return { status, headers: [], body: Buffer.alloc(0) };
}

/** Decodes an id. Malformed percent-encoding gives an empty id, which no connection has. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
