import type { APIGatewayRequestAuthorizerEvent } from "aws-lambda";

export type RequestHeaders = Pick<APIGatewayRequestAuthorizerEvent, "headers" | "multiValueHeaders">;

/** The subprotocol that precedes a token. The server selects it. */
export const tokenSubprotocol = "access_token";

/**
 * Reads the token of a REST request: from the Authorization header, else from the cookie. A malformed header still
 * counts: a caller who sends one must not be signed in by the cookie instead.
 *
 * @returns undefined without a token; an empty string, which no verification accepts, if the header is not of the form
 * `Bearer <token>` or the token is given twice.
 */
export function requestToken(event: RequestHeaders, cookieName: string): string | undefined {
  return bearerToken(event) ?? cookieToken(event, cookieName);
}

/**
 * Reads the token of a request to connect: from the Authorization header; else from the subprotocols, the only place
 * where a page in a browser can put it; else from the cookie. Browsers send cookies with connections from any page,
 * without a preflight, so the cookie counts only for pages of the allowed origins and for clients that are not pages.
 *
 * @returns undefined without a token; an empty string if it is malformed.
 */
export function connectionToken(
  event: RequestHeaders,
  { cookieName, allowedOrigins }: { cookieName: string; allowedOrigins: readonly string[] },
): string | undefined {
  const fromAllowedOrigin = valuesOf(event, "origin").every((origin) => allowedOrigins.includes(origin));
  return (
    bearerToken(event) ??
    subprotocolToken(event) ??
    (fromAllowedOrigin ? cookieToken(event, cookieName) : undefined)
  );
}

/** Lists the subprotocols of a request, in the client's order. */
export function subprotocolsOf(event: RequestHeaders): string[] {
  return valuesOf(event, "sec-websocket-protocol").flatMap((value) =>
    value.split(",").map((name) => name.trim()),
  );
}

/** Reads the token of the Authorization header; an empty string if that is malformed. */
export function bearerToken(event: RequestHeaders): string | undefined {
  const values = valuesOf(event, "authorization");
  return onlyOne(values.map((value) => /^Bearer +(\S+) *$/i.exec(value)?.[1] ?? ""));
}

/** Reads the token of the pair `access_token, <token>`. Undefined if the client does not ask for `access_token`. */
function subprotocolToken(event: RequestHeaders): string | undefined {
  const asked = subprotocolsOf(event);
  if (!asked.includes(tokenSubprotocol)) return undefined;
  const [first, token, ...others] = asked;
  return first === tokenSubprotocol && others.length === 0 ? (token ?? "") : "";
}

function cookieToken(event: RequestHeaders, cookieName: string): string | undefined {
  const cookies = valuesOf(event, "cookie").flatMap((value) => value.split(";"));
  const named = cookies
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie.startsWith(`${cookieName}=`));
  return onlyOne(named.map((cookie) => cookie.slice(cookieName.length + 1)));
}

/** Several tokens are ambiguous, so they count as an invalid one. */
function onlyOne([first, ...others]: string[]): string | undefined {
  return others.length > 0 ? "" : first;
}

/** Returns the values of a header, whatever its case. */
export function valuesOf({ headers, multiValueHeaders }: RequestHeaders, lowerCaseName: string): string[] {
  const all =
    multiValueHeaders ??
    Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name, [value]]));
  return Object.entries(all)
    .filter(([name]) => name.toLowerCase() === lowerCaseName)
    .flatMap(([, values]) => values ?? [])
    .filter((value) => value !== undefined);
}
