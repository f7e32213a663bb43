import type { GatewayRequest, GatewayResponse, Pair } from "../rest-api/messages.ts";

/** Answers a request that no socket is part of. */
export type Handle = (request: GatewayRequest) => Promise<GatewayResponse>;

/** Answers a request, or gives undefined for one that is meant for somebody else. */
export type Route = (request: GatewayRequest) => Promise<GatewayResponse> | undefined;

export function json(status: number, body: unknown, ...headers: Pair[]): GatewayResponse {
  return {
    status,
    headers: [["Content-Type", "application/json"], ...headers],
    body: Buffer.from(JSON.stringify(body)),
  };
}

/** The path of a request's target, without its query. */
export function pathOf({ target }: GatewayRequest): string {
  return target.split("?", 1)[0] ?? "";
}

/** The last value of a header, or undefined. */
export function header({ headers }: GatewayRequest, name: string): string | undefined {
  return headers.findLast(([sent]) => sent.toLowerCase() === name)?.[1];
}
