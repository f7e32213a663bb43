import type { APIGatewayRequestAuthorizerEvent } from "aws-lambda";

/**
 * The token of a request: what the Authorization header says, else the cookie. The header wins even when it is no good,
 * so that nobody signs in by another way than the one they asked for.
 *
 * @returns undefined when there is none; an empty string, which no verification passes, when it is not of the form
 * `Bearer <token>`, or given twice.
 */
export function bearerToken(event: APIGatewayRequestAuthorizerEvent, cookieName: string): string | undefined {
  const authorization = valuesOf(event, "authorization");
  if (authorization.length > 0)
    return onlyOne(authorization.map((value) => /^Bearer +(\S+) *$/i.exec(value)?.[1]));
  const cookies = valuesOf(event, "cookie").flatMap((value) => value.split(";"));
  const named = cookies
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie.startsWith(`${cookieName}=`));
  return named.length > 0 ? onlyOne(named.map((cookie) => cookie.slice(cookieName.length + 1))) : undefined;
}

const onlyOne = (values: (string | undefined)[]) => (values.length === 1 ? values[0] : undefined) ?? "";

function valuesOf(
  { headers, multiValueHeaders }: APIGatewayRequestAuthorizerEvent,
  lowerCaseName: string,
): string[] {
  const all =
    multiValueHeaders ??
    Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name, [value]]));
  return Object.entries(all)
    .filter(([name]) => name.toLowerCase() === lowerCaseName)
    .flatMap(([, values]) => values ?? [])
    .filter((value) => value !== undefined);
}
