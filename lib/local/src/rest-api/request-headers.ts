import { type GatewayRequest, headerValues, type Pair, type ValueMaps, valueMaps } from "../http/messages.ts";

/** Recorded: these never reach an integration. */
const dropped = new Set([
  "connection",
  "content-length",
  "content-md5",
  "expect",
  "max-forwards",
  "proxy-authenticate",
  "server",
  "te",
  "transfer-encoding",
  "trailer",
  "upgrade",
  "www-authenticate",
]);

/** Recorded: every other name keeps the case in which it was sent. */
const canonicalNames: Record<string, string> = {
  authorization: "Authorization",
  host: "Host",
  "user-agent": "User-Agent",
};

/** API Gateway sets these itself. It speaks TLS only, and a function must see the same here. */
const forwarded = (sourceIps: string, traceId: string): Pair[] => [
  ["X-Amzn-Trace-Id", traceId],
  ["X-Forwarded-For", sourceIps],
  ["X-Forwarded-Port", "443"],
  ["X-Forwarded-Proto", "https"],
];
const forwardedNames = new Set(forwarded("", "").map(([name]) => name.toLowerCase()));

/** The headers that a function behind a proxy integration gets. */
export function integrationHeaders(request: GatewayRequest, traceId: string): ValueMaps {
  return eventHeaders(request, traceId, (name) => dropped.has(name));
}

/** The headers that an authorizer gets. Recorded: they have the Content-Length, which an integration's have not. */
export function authorizerHeaders(request: GatewayRequest, traceId: string): ValueMaps {
  return eventHeaders(request, traceId, (name) => name !== "content-length" && dropped.has(name));
}

/** The headers of an event: those that were sent, but for some, and those that API Gateway adds. */
export function eventHeaders(
  { headers, sourceIp }: GatewayRequest,
  traceId: string,
  isDropped: (lowerCaseName: string) => boolean,
): ValueMaps {
  const sent = headers
    .filter(([name]) => !isDropped(name.toLowerCase()) && !forwardedNames.has(name.toLowerCase()))
    .map(([name, value]): Pair => [canonicalNames[name.toLowerCase()] ?? name, value]);
  const sourceIps = [...headerValues(headers, "x-forwarded-for"), sourceIp].join(", ");
  return valueMaps([...sent, ...forwarded(sourceIps, traceId)], (name) => name.toLowerCase());
}
