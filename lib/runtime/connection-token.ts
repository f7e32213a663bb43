import type { APIGatewayRequestAuthorizerEvent } from "aws-lambda";
import { cookieToken, headerToken, valuesOf } from "./request-token.ts";
import { subprotocolsOf, tokenSubprotocol } from "./subprotocol.ts";

type Options = { cookieName: string; allowedOrigins: readonly string[] };

/**
 * The token of a request to connect: of the Authorization header; else of the subprotocols, which is all that a page in a
 * browser can set; else of the cookie. A browser sends cookies with the connections of any page, and asks nobody before,
 * so a cookie counts only for pages of the allowed origins, and where there is no page.
 *
 * @returns undefined when there is none; an empty string when it is not of the right form.
 */
export function connectionToken(
  event: APIGatewayRequestAuthorizerEvent,
  { cookieName, allowedOrigins }: Options,
): string | undefined {
  return (
    headerToken(event) ??
    subprotocolToken(event) ??
    (valuesOf(event, "origin").every((origin) => allowedOrigins.includes(origin))
      ? cookieToken(event, cookieName)
      : undefined)
  );
}

/** The token of the pair `access_token, <token>`; undefined when the first of them is not asked for. */
function subprotocolToken(event: APIGatewayRequestAuthorizerEvent): string | undefined {
  const asked = subprotocolsOf(event);
  if (!asked.includes(tokenSubprotocol)) return undefined;
  const [first, token, ...others] = asked;
  return first === tokenSubprotocol && others.length === 0 ? (token ?? "") : "";
}
