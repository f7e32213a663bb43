import { FaultRates, type Faults } from "./faults.ts";
import { type GatewayRequest, type GatewayResponse, json, type Pair, type Route } from "./http/messages.ts";
import type { CodeFlow } from "./issuer/code-flow.ts";
import { type Issuer, TokenRequest } from "./issuer/issuer.ts";
import { signInPaths } from "./issuer/sign-in-paths.ts";
import { OWN, ownRoute, readOwn, valuePath } from "./own-route.ts";

export const ISSUER_PATH = `${OWN}/issuer`;

/**
 * Serves the runner's own paths.
 * @param flow undefined if no page signs users in
 * @param faults undefined if faults cannot be injected
 */
export type OwnPathsOptions = {
  issuer: Issuer;
  describe: () => object;
  flow?: CodeFlow | undefined;
  faults?: Faults | undefined;
};

/** Serves the issuer, and a description of the runner for other programs. */
export function ownPaths({ issuer, describe, flow, faults }: OwnPathsOptions): Route {
  const get = (body: () => object, ...headers: Pair[]) => ({
    GET: async () => json(200, body(), ...headers),
  });
  const forAnyPage: Pair = ["Access-Control-Allow-Origin", "*"];
  return ownRoute({
    [`${OWN}/outputs`]: get(describe),
    ...(faults && {
      [`${OWN}/faults`]: valuePath(FaultRates, {
        get: () => faults.rates,
        set: (rates) => {
          faults.rates = rates;
        },
      }),
    }),
    [`${ISSUER_PATH}/.well-known/openid-configuration`]: get(() => issuer.metadata, forAnyPage),
    [`${ISSUER_PATH}/jwks.json`]: get(() => issuer.keys, forAnyPage),
    [`${ISSUER_PATH}/token`]: { POST: (request) => grant(issuer, request) },
    ...(flow && signInPaths(ISSUER_PATH, flow)),
  });
}

async function grant(issuer: Issuer, request: GatewayRequest): Promise<GatewayResponse> {
  const read = readOwn(TokenRequest, request);
  if ("refusal" in read) return read.refusal;
  return json(200, await issuer.token(read.body), ["Cache-Control", "no-store"]);
}
