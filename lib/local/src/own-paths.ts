import * as v from "valibot";
import {
  type GatewayRequest,
  type GatewayResponse,
  header,
  json,
  pathOf,
  type Route,
} from "./http/messages.ts";
import { type Issuer, TokenRequest } from "./issuer/issuer.ts";

/** Where the runner's own paths begin, on the port of the API. */
export const OWN = "/_local";
export const ISSUER_PATH = `${OWN}/issuer`;

type OwnPath = { method: "GET" | "POST"; answer(request: GatewayRequest): Promise<GatewayResponse> };

/** What the runner serves beside the API: its issuer, and what programs of the operator need to know. */
export function ownPaths(issuer: Issuer, describe: () => object): Route {
  const get = (body: () => object): OwnPath => ({ method: "GET", answer: async () => json(200, body()) });
  const paths: Record<string, OwnPath> = {
    [`${OWN}/outputs`]: get(describe),
    [`${ISSUER_PATH}/.well-known/openid-configuration`]: get(() => issuer.metadata),
    [`${ISSUER_PATH}/jwks.json`]: get(() => issuer.keys),
    [`${ISSUER_PATH}/token`]: { method: "POST", answer: (request) => grant(issuer, request) },
  };

  return (request) => {
    const path = pathOf(request);
    if (path !== OWN && !path.startsWith(`${OWN}/`)) return undefined;
    const found = Object.hasOwn(paths, path) ? paths[path] : undefined;
    if (found === undefined) return refuse(404, "Not found");
    if (found.method !== request.method) return refuse(405, "Method not allowed", found.method);
    return found.answer(request);
  };
}

/** JSON only: to send that to another site, a page needs a permission that is never given. */
async function grant(issuer: Issuer, request: GatewayRequest): Promise<GatewayResponse> {
  if (!/^application\/json\s*(;|$)/i.test(header(request, "content-type") ?? "")) {
    return refuse(415, "Content-Type must be application/json");
  }
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), TokenRequest), request.body.toString("utf8"));
  if (!parsed.success) {
    const [issue] = parsed.issues;
    return refuse(400, [v.getDotPath(issue), issue.message].filter((part) => part !== null).join(": "));
  }
  return json(200, await issuer.token(parsed.output), ["Cache-Control", "no-store"]);
}

async function refuse(status: number, error: string, allow?: string): Promise<GatewayResponse> {
  return json(status, { error }, ...(allow === undefined ? [] : [["Allow", allow] as const]));
}
