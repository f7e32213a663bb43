import type { APIGatewayRequestAuthorizerEvent } from "aws-lambda";
import { valuesOf } from "./request-token.ts";

/** The subprotocol that says that the other one is the token; it is what the server chooses. */
export const tokenSubprotocol = "access_token";

/** The subprotocols that a client asks for, in its order. */
export function subprotocolsOf(
  event: Pick<APIGatewayRequestAuthorizerEvent, "headers" | "multiValueHeaders">,
): string[] {
  return valuesOf(event, "sec-websocket-protocol").flatMap((value) =>
    value.split(",").map((name) => name.trim()),
  );
}
