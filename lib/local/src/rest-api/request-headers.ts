import { type GatewayRequest, type Pair, type ValueMaps, valueMaps } from "../http/messages.ts";

/** Headers that API Gateway drops. Recorded: an integration never gets them. */
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

/** Headers whose case API Gateway changes. Recorded: all other names keep the case in which they were sent. */
const canonicalNames: Record<string, string> = {
  authorization: "Authorization",
  host: "Host",
  "user-agent": "User-Agent",
};

/** Headers that API Gateway adds. It serves only TLS, so functions also see port 443 here. */
const forwarded = (sourceIps: string, traceId: string): Pair[] => [
  ["X-Amzn-Trace-Id", traceId],
  ["X-Forwarded-For", sourceIps],
  ["X-Forwarded-Port", "443"],
  ["X-Forwarded-Proto", "https"],
];
const forwardedNames = new Set(forwarded("", "").map(([name]) => name.toLowerCase()));

export function integrationHeaders(request: GatewayRequest, traceId: string): ValueMaps {
  return eventHeaders(request, traceId, (name) => dropped.has(name));
}

/** Builds the headers for an authorizer. Recorded: unlike an integration, it gets the Content-Length. */
export function authorizerHeaders(request: GatewayRequest, traceId: string): ValueMaps {
  return eventHeaders(request, traceId, (name) => name !== "content-length" && dropped.has(name));
}

/** Builds the headers of an event: the client's except dropped ones, and those that API Gateway adds. */
export function eventHeaders(
  { headers, sourceIp }: GatewayRequest,
  traceId: string,
  isDropped: (lowerCaseName: string) => boolean,
): ValueMaps {
  const sent = headers
    .filter(([name]) => !isDropped(name.toLowerCase()) && !forwardedNames.has(name.toLowerCase()))
    .map(([name, value]): Pair => [canonicalNames[name.toLowerCase()] ?? name, value]);
  const proxies = headers.filter(([name]) => name.toLowerCase() === "x-forwarded-for").map(([, ips]) => ips);
  const sourceIps = [...proxies, sourceIp].join(", ");
  return valueMaps([...sent, ...forwarded(sourceIps, traceId)], (name) => name.toLowerCase());
}
