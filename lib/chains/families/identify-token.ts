import type { Address } from "@solana/web3.js";
import { identify, tokenNotFound } from "../../orders/requests.ts";
import type { TokenIdentity } from "../../orders/token-identity.ts";
import { tokenClaimsCall } from "../evm/calls/token-claims.ts";
import { tokenViewCall } from "../sol/calls/token-view.ts";
import type { ChainReader } from "./open-chains.ts";

/**
 * Asks one host what a token is.
 *
 * @param token in the form that responses have
 * @throws {DomainError} TOKEN_NOT_FOUND
 * @throws {ChainUnavailable}
 */
export async function identifyToken(reader: ChainReader, token: string): Promise<TokenIdentity> {
  if (reader.chain !== "sol") {
    const [claims] = await reader.client.read([tokenClaimsCall(token, "latest")]);
    return identify(reader, token, claims);
  }
  const call = await tokenViewCall(token as Address, [], { commitment: "confirmed" });
  const [view] = await reader.client.read([call]);
  if (view === undefined) throw tokenNotFound("sol");
  return identify(reader, token, view.claims);
}
