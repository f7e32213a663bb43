import { createHash, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import type { APIGatewayRequestAuthorizerEvent } from "aws-lambda";
import { type RequestHeaders, valuesOf } from "./request-token.ts";

export type OriginRules = {
  /** What the edge proves itself with. Undefined if there is no edge. */
  originKey: string | undefined;
  /** Whether requests that do not come from the edge are refused. */
  edgeOnly: boolean;
};

type RequestOrigin = { clientIp: string; isAllowed: boolean };

type OriginEvent = RequestHeaders & {
  requestContext: {
    identity: Pick<APIGatewayRequestAuthorizerEvent["requestContext"]["identity"], "sourceIp">;
  };
};

/** The principal of requests that are refused for that. They have no API key, so that no alarm must count them. */
export const outsider = "outside the edge";

/** The header that the edge adds. CloudFront replaces one that a viewer has sent. */
export const originKeyHeader = "x-origin-key";

/** Where a request comes from. What clients say of their address counts only as far as the edge has added to it. */
export function requestOrigin(event: OriginEvent, { originKey, edgeOnly }: OriginRules): RequestOrigin {
  const isFromEdge = originKey !== undefined && isSame(valuesOf(event, originKeyHeader), originKey);
  const addresses = valuesOf(event, "x-forwarded-for").flatMap((value) => value.split(","));
  // The last two are the viewer, added by CloudFront, and CloudFront, added by API Gateway.
  const address = isFromEdge ? (addresses.at(-2) ?? "") : event.requestContext.identity.sourceIp;
  return { clientIp: plainAddress(address.trim()), isAllowed: isFromEdge || !edgeOnly };
}

/** Access logs hold it in JSON that nothing escapes. */
const plainAddress = (text: string) => (isIP(text) === 0 ? "unknown" : text);

/** Takes the same time wherever the first difference is. */
function isSame([given, ...others]: string[], originKey: string): boolean {
  if (given === undefined || others.length > 0) return false;
  const [a, b] = [given, originKey].map((text) => createHash("sha256").update(text).digest());
  return timingSafeEqual(a as Buffer, b as Buffer);
}
