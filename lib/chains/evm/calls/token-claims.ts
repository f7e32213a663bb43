import type { TokenClaims } from "../../../orders/token-identity.ts";
import { type RpcCall, thenRead } from "../../hosts/rpc-call.ts";
import { balanceOf, decimalsOf, textOf, totalSupplyOf } from "./contract-questions.ts";
import { type ContractAnswers, multicall } from "./multicall.ts";
import type { BlockTag } from "./rpc-call.ts";
import { tokenGas } from "./token-belongings.ts";

const nobody = "0x000000000000000000000000000000000000dEaD";

/**
 * Asks an address to describe itself as a token. The most important question comes first, in case the token burns the
 * gas for the later ones.
 */
export const claimQuestions = (token: string) =>
  [
    decimalsOf(token),
    balanceOf(token, nobody),
    totalSupplyOf(token),
    textOf("symbol", token),
    textOf("name", token),
  ] as const;

export const claimsOf = ([decimals, balance, totalSupply, symbol, name]: ContractAnswers<
  ReturnType<typeof claimQuestions>
>): TokenClaims => ({ decimals, balance, totalSupply, symbol, name });

export const tokenClaimsCall = (token: string, tag: BlockTag): RpcCall<TokenClaims> =>
  thenRead(multicall(claimQuestions(token), tag, tokenGas), claimsOf);
