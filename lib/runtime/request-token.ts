import type { APIGatewayRequestAuthorizerEvent } from "aws-lambda";

type Headers = Pick<APIGatewayRequestAuthorizerEvent, "headers" | "multiValueHeaders">;

/**
 * The token of a request: what the Authorization header says, else the cookie. The header wins even when it is no good,
 * so that nobody signs in by another way than the one they asked for.
 *
 * @returns undefined when there is none; an empty string, which no verification passes, when it is not of the form
 * `Bearer <token>`, or given twice.
 */
export function requestToken(event: Headers, cookieName: string): string | undefined {
  return headerToken(event) ?? cookieToken(event, cookieName);
}

/** The token of the Authorization header; undefined without that header. */
export function headerToken(event: Headers): string | undefined {
  const values = valuesOf(event, "authorization");
  return onlyOne(values.map((value) => /^Bearer +(\S+) *$/i.exec(value)?.[1] ?? ""));
}

/** The token of the cookie of that name; undefined without one. */
export function cookieToken(event: Headers, cookieName: string): string | undefined {
  const cookies = valuesOf(event, "cookie").flatMap((value) => value.split(";"));
  const named = cookies
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie.startsWith(`${cookieName}=`));
  return onlyOne(named.map((cookie) => cookie.slice(cookieName.length + 1)));
}

/** Of several nobody can say which is meant, so they are as good as a bad one. */
function onlyOne([first, ...others]: string[]): string | undefined {
  return others.length > 0 ? "" : first;
}

/** The values of a header, whatever its case. */
export function valuesOf({ headers, multiValueHeaders }: Headers, lowerCaseName: string): string[] {
  const all =
    multiValueHeaders ??
    Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name, [value]]));
  return Object.entries(all)
    .filter(([name]) => name.toLowerCase() === lowerCaseName)
    .flatMap(([, values]) => values ?? [])
    .filter((value) => value !== undefined);
}
