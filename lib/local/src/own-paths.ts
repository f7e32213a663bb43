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

/** The prefix of the runner's own paths, on the port of the API. */
export const OWN = "/_local";
export const ISSUER_PATH = `${OWN}/issuer`;

type OwnPath = { method: "GET" | "POST"; answer(request: GatewayRequest): Promise<GatewayResponse> };

/** Serves the issuer, and a description of the runner for other programs. */
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

/** Accepts JSON only. A page of another site would need a permission to send that, which no answer gives. */
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
