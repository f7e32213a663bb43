import type {
  APIGatewayEventWebsocketRequestContextV2,
  APIGatewayProxyEventHeaders,
  APIGatewayProxyWebsocketEventV2WithRequestContext,
} from "aws-lambda";

/** An event of the WebSocket API: of every route, who is connected; of $connect alone, the headers of the request. */
export type WebSocketEvent = APIGatewayProxyWebsocketEventV2WithRequestContext<
  APIGatewayEventWebsocketRequestContextV2 & { authorizer?: { principalId?: string } }
> & {
  headers?: APIGatewayProxyEventHeaders;
  multiValueHeaders?: Record<string, string[] | undefined>;
};

/** What API Gateway takes back: a body goes to the client where the route has a response. */
export type WebSocketResult = { statusCode: number; headers?: Record<string, string>; body?: string };

/** Whose connection an event is about. */
export function connectionOf({ requestContext }: WebSocketEvent) {
  const { connectionId: connectionID, authorizer } = requestContext;
  const userID = authorizer?.principalId;
  if (userID === undefined) throw new Error("The connection is nobody's");
  return { connectionID, userID };
}
