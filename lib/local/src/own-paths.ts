import * as v from "valibot";
import { FaultRates, type Faults } from "./faults.ts";
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

type Answer = (request: GatewayRequest) => Promise<GatewayResponse>;
type Method = "GET" | "POST" | "PUT";

/** @param faults absent if none may be injected */
export type OwnPathsOptions = { issuer: Issuer; describe: () => object; faults?: Faults | undefined };

/** Serves the issuer, and a description of the runner for other programs. */
export function ownPaths({ issuer, describe, faults }: OwnPathsOptions): Route {
  const get = (body: () => object) => ({ GET: async () => json(200, body()) });
  const paths: Record<string, Partial<Record<Method, Answer>>> = {
    [`${OWN}/outputs`]: get(describe),
    ...(faults && {
      [`${OWN}/faults`]: { ...get(() => faults.rates), PUT: (request) => setRates(faults, request) },
    }),
    [`${ISSUER_PATH}/.well-known/openid-configuration`]: get(() => issuer.metadata),
    [`${ISSUER_PATH}/jwks.json`]: get(() => issuer.keys),
    [`${ISSUER_PATH}/token`]: { POST: (request) => grant(issuer, request) },
  };

  return (request) => {
    const path = pathOf(request);
    if (path !== OWN && !path.startsWith(`${OWN}/`)) return undefined;
    const found = Object.hasOwn(paths, path) ? paths[path] : undefined;
    if (found === undefined) return refuse(404, "Not found");
    const answer = Object.hasOwn(found, request.method) ? found[request.method as Method] : undefined;
    return answer?.(request) ?? refuse(405, "Method not allowed", Object.keys(found).join(", "));
  };
}

async function grant(issuer: Issuer, request: GatewayRequest): Promise<GatewayResponse> {
  const read = readOwn(TokenRequest, request);
  if ("refusal" in read) return read.refusal;
  return json(200, await issuer.token(read.body), ["Cache-Control", "no-store"]);
}

async function setRates(faults: Faults, request: GatewayRequest): Promise<GatewayResponse> {
  const read = readOwn(FaultRates, request);
  if ("refusal" in read) return read.refusal;
  faults.rates = read.body;
  return json(200, faults.rates);
}

/** Accepts JSON only. A page of another site would need a permission to send that, which no answer gives. */
function readOwn<Schema extends v.GenericSchema>(
  schema: Schema,
  request: GatewayRequest,
): { body: v.InferOutput<Schema> } | { refusal: Promise<GatewayResponse> } {
  if (!/^application\/json\s*(;|$)/i.test(header(request, "content-type") ?? "")) {
    return { refusal: refuse(415, "Content-Type must be application/json") };
  }
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), request.body.toString("utf8"));
  if (parsed.success) return { body: parsed.output };
  const [issue] = parsed.issues;
  const message = [v.getDotPath(issue), issue.message].filter((part) => part !== null).join(": ");
  return { refusal: refuse(400, message) };
}

async function refuse(status: number, error: string, allow?: string): Promise<GatewayResponse> {
  return json(status, { error }, ...(allow === undefined ? [] : [["Allow", allow] as const]));
}
