import { randomBytes } from "node:crypto";
import { type GatewayRequest, header, type Pair, withOverrides } from "../http/messages.ts";
import type { Origin } from "./definition.ts";

/** Where requests of a distribution come from, as an API sees it. No real address: it is one for documentation. */
export const EDGE_ADDRESS = "192.0.2.1";

/** Documented: an origin never gets these. Those of the WebSocket handshake are forwarded with it. */
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
 * A viewer's request as an origin gets it, under the policy AllViewerExceptHostHeader.
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

/** In the format of CloudFront's ids of requests. */
export const newCloudFrontId = () => `${randomBytes(41).toString("base64url")}==`;

/** Whether a request asks for a WebSocket connection. */
export const asksForSocket = (request: Pick<GatewayRequest, "headers">) =>
  header(request, "upgrade")?.toLowerCase() === "websocket";
