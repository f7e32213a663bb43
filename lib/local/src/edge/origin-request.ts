import { randomBytes } from "node:crypto";
import { type GatewayRequest, header, type Pair, withOverrides } from "../http/messages.ts";
import type { Origin } from "./definition.ts";

/** Source address that APIs see for requests of a distribution. It is reserved for documentation. */
export const EDGE_ADDRESS = "192.0.2.1";

/** Headers that CloudFront removes. Documented: a handshake keeps its WebSocket headers. */
const dropped = new Set([
  "connection",
  "expect",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "x-forwarded-proto",
  "x-http-method-override",
  "x-real-ip",
]);
const handshake = new Set(["connection", "upgrade"]);

const isForwarded = (name: string, opensSocket: boolean) =>
  (!dropped.has(name) || (opensSocket && handshake.has(name))) &&
  !name.startsWith("x-edge-") &&
  !name.startsWith("x-amz-cf-");

/**
 * Turns a viewer's request into the one that an origin gets under the policy AllViewerExceptHostHeader.
 *
 * @param target the path and query at the origin
 */
export function originRequest(
  request: GatewayRequest,
  { domainName, headers }: Origin,
  { target, via, opensSocket }: { target: string; via: string; opensSocket: boolean },
): GatewayRequest {
  const sent = request.headers.filter(([name]) => isForwarded(name.toLowerCase(), opensSocket));
  const values = (wanted: string) =>
    sent.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value);
  const added: Pair[] = [
    ["Host", domainName],
    ["Via", [...values("via"), via].join(", ")],
    ["X-Forwarded-For", [...values("x-forwarded-for"), request.sourceIp].join(", ")],
    ["X-Amz-Cf-Id", newCloudFrontId()],
    ...headers,
  ];
  return { ...request, target, headers: withOverrides(sent, added), sourceIp: EDGE_ADDRESS };
}

/** Makes a request id in the format of CloudFront. */
export const newCloudFrontId = () => `${randomBytes(41).toString("base64url")}==`;

/** True if a request asks for a WebSocket connection. */
export const asksForSocket = (request: Pick<GatewayRequest, "headers">) =>
  header(request, "upgrade")?.toLowerCase() === "websocket";
