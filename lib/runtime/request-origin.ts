import { createHash, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import type { APIGatewayRequestAuthorizerEvent } from "aws-lambda";
import { type RequestHeaders, valuesOf } from "./request-token.ts";

export type OriginRules = {
  /**
   * Secrets that prove that a request came through the edge. A request needs only one of them. Empty if there is no
   * edge.
   */
  originKeys: readonly string[];
  /** True if requests that bypass the edge are refused. */
  edgeOnly: boolean;
};

type RequestOrigin = { clientIp: string; isAllowed: boolean };

type OriginEvent = RequestHeaders & {
  requestContext: {
    identity: Pick<APIGatewayRequestAuthorizerEvent["requestContext"]["identity"], "sourceIp">;
  };
};

/** Principal of requests that bypass the edge. Such requests have no API key, and must not be counted by any alarm. */
export const outsider = "outside the edge";

/** Header that the edge adds. If a viewer sends this header, CloudFront replaces it. */
export const originKeyHeader = "x-origin-key";

/**
 * Finds the client's address, and whether the request is accepted. Trusts addresses in the headers only if the edge
 * added them.
 */
export function requestOrigin(event: OriginEvent, { originKeys, edgeOnly }: OriginRules): RequestOrigin {
  const isFromEdge = isOneOf(originKeys, valuesOf(event, originKeyHeader));
  const addresses = valuesOf(event, "x-forwarded-for").flatMap((value) => value.split(","));
  // Takes the viewer's address, which CloudFront has added. The address after it is CloudFront's own, added by API
  // Gateway.
  const address = isFromEdge ? (addresses.at(-2) ?? "") : event.requestContext.identity.sourceIp;
  return { clientIp: plainAddress(address.trim()), isAllowed: isFromEdge || !edgeOnly };
}

/** Replaces text that is not an address, because access logs write it into JSON without escaping. */
const plainAddress = (text: string) => (isIP(text) === 0 ? "unknown" : text);

/** Compares keys in constant time, so that the duration reveals neither the first difference nor which key matched. */
function isOneOf(keys: readonly string[], [given, ...others]: string[]): boolean {
  if (given === undefined || others.length > 0) return false;
  const hash = digest(given);
  return keys.filter((key) => timingSafeEqual(digest(key), hash)).length > 0;
}

const digest = (text: string) => createHash("sha256").update(text).digest();
