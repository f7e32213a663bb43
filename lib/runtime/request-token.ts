import type { APIGatewayRequestAuthorizerEvent } from "aws-lambda";
import { sessionCookieName } from "./session-cookie.ts";

export type RequestHeaders = Pick<APIGatewayRequestAuthorizerEvent, "headers" | "multiValueHeaders">;

/** Subprotocol that precedes a token, and that the server selects. */
export const tokenSubprotocol = "access_token";

/** Maximum number of cookies to try, because each one costs a verification. */
const maxCookies = 4;

export type Cookies = {
  /** Name of the session's cookie, without its prefix. */
  cookieName: string;
  /**
   * True if a cookie without the prefix is accepted as well. Such a cookie can be set by any other host of the site.
   */
  bareCookie: boolean;
};

/**
 * Lists the tokens of a REST request: those in the Authorization header, or else those in the cookies. The first valid
 * one counts. If the header is malformed, the cookies are ignored, because they could identify a different user than
 * the header's sender intended.
 *
 * @returns an empty text in place of a header that is not of the form `Bearer <token>` or is given twice. No
 * verification accepts an empty text.
 */
export function requestTokens(event: RequestHeaders, cookies: Cookies): string[] {
  return only(bearerToken(event)) ?? cookieTokens(event, cookies);
}

/**
 * Lists the tokens of a request to connect: from the Authorization header; or else from the subprotocols, the only
 * place where a web page can put a token; or else from the cookies. Browsers send cookies with connections from any
 * page, without a preflight, so cookies count only for pages of the allowed origins and for clients that are not pages.
 *
 * @returns an empty text in place of a malformed header or pair.
 */
export function connectionTokens(
  event: RequestHeaders,
  { allowedOrigins, ...cookies }: Cookies & { allowedOrigins: readonly string[] },
): string[] {
  const fromAllowedOrigin = valuesOf(event, "origin").every((origin) => allowedOrigins.includes(origin));
  return (
    only(bearerToken(event) ?? subprotocolToken(event)) ??
    (fromAllowedOrigin ? cookieTokens(event, cookies) : [])
  );
}

const only = (token: string | undefined): string[] | undefined => (token === undefined ? undefined : [token]);

/** Lists the subprotocols of a request, in the client's order. */
export function subprotocolsOf(event: RequestHeaders): string[] {
  return valuesOf(event, "sec-websocket-protocol").flatMap((value) =>
    value.split(",").map((name) => name.trim()),
  );
}

/** Reads the token of the Authorization header. Returns an empty string if the header is malformed. */
export function bearerToken(event: RequestHeaders): string | undefined {
  const values = valuesOf(event, "authorization");
  return onlyOne(values.map((value) => /^Bearer +(\S+) *$/i.exec(value)?.[1] ?? ""));
}

/** Reads the token of the pair `access_token, <token>`. Undefined if the client does not request `access_token`. */
function subprotocolToken(event: RequestHeaders): string | undefined {
  const asked = subprotocolsOf(event);
  if (!asked.includes(tokenSubprotocol)) return undefined;
  const [first, token, ...others] = asked;
  return first === tokenSubprotocol && others.length === 0 ? (token ?? "") : "";
}

/** Lists the values of the session's cookies. Cookies that no other host can set come first. */
function cookieTokens(event: RequestHeaders, { cookieName, bareCookie }: Cookies): string[] {
  const sent = valuesOf(event, "cookie")
    .flatMap((value) => value.split(";"))
    // Trims only blanks and tabs. Browsers do not protect the prefix after other kinds of space.
    .map((cookie) => cookie.replace(/^[ \t]+|[ \t]+$/g, ""));
  const names = [sessionCookieName(cookieName), ...(bareCookie ? [cookieName] : [])];
  const values = names.flatMap((name) =>
    sent.filter((cookie) => cookie.startsWith(`${name}=`)).map((cookie) => cookie.slice(name.length + 1)),
  );
  return [...new Set(values)].filter((value) => value !== "").slice(0, maxCookies);
}

/** Replaces several tokens by an invalid one, because it is unclear which one counts. */
function onlyOne([first, ...others]: string[]): string | undefined {
  return others.length > 0 ? "" : first;
}

/** Returns the values of a header. The header's name is not case-sensitive. */
export function valuesOf({ headers, multiValueHeaders }: RequestHeaders, lowerCaseName: string): string[] {
  const all =
    multiValueHeaders ??
    Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name, [value]]));
  return Object.entries(all)
    .filter(([name]) => name.toLowerCase() === lowerCaseName)
    .flatMap(([, values]) => values ?? [])
    .filter((value) => value !== undefined);
}
