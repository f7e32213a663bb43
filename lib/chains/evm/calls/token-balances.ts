import { mostCallGas } from "../../../core/network-facts.ts";
import type { TokenUnits, Wei } from "../../../core/units.ts";
import { least } from "../../../orders/bigints.ts";
import type { TokenClaims } from "../../../orders/token-identity.ts";
import { type RpcCall, thenRead } from "../../hosts/rpc-call.ts";
import { balanceOf, blockNumberOf, coinsOf } from "./contract-questions.ts";
import { multicall } from "./multicall.ts";
import type { BlockTag } from "./rpc-call.ts";
import { tokenGas } from "./token-belongings.ts";
import { claimQuestions, claimsOf } from "./token-claims.ts";

/** Gas that is enough to read a balance of any token worth showing. */
const balanceGas = 100_000n;

const gasFor = (balances: number): bigint => least(tokenGas + balanceGas * BigInt(balances), mostCallGas);

/** Balances by wallet and token. Undefined if the token does not answer. */
export type Units = (wallet: string, token: string) => TokenUnits | undefined;

/** Asks for several wallets' coin and their balances of some trusted tokens, at one block. */
export function knownBalancesCall(
  wallets: readonly string[],
  tokens: readonly string[],
  tag: BlockTag,
): RpcCall<{ block: number; coins: (wallet: string) => Wei | undefined; units: Units }> {
  const questions = wallets.flatMap((wallet) => [
    coinsOf(wallet),
    ...tokens.map((token) => balanceOf(token, wallet)),
  ]);
  const asked = [blockNumberOf(), ...questions] as const;
  return thenRead(multicall(asked, tag), ([block, ...answers]) => {
    if (block === undefined) throw new Error("The block is unknown");
    const answer = (wallet: string, column: number) =>
      answers[wallets.indexOf(wallet) * (tokens.length + 1) + column];
    return {
      block: Number(block),
      coins: (wallet) => answer(wallet, 0),
      units: (wallet, token) => answer(wallet, tokens.indexOf(token) + 1),
    };
  });
}

/**
 * Asks an unknown token about itself and about wallets' balances. Uses a separate call, because the token could burn
 * the gas that other questions need.
 */
export function strangeBalancesCall(
  token: string,
  wallets: readonly string[],
  tag: BlockTag,
): RpcCall<{ claims: TokenClaims; units: ReadonlyMap<string, TokenUnits> }> {
  const claims = claimQuestions(token);
  const asked = [...claims, ...wallets.map((wallet) => balanceOf(token, wallet))] as const;
  return thenRead(multicall(asked, tag, gasFor(wallets.length)), (answers) => {
    const [decimals, balance, totalSupply, symbol, name, ...units] = answers;
    return {
      claims: claimsOf([decimals, balance, totalSupply, symbol, name]),
      units: new Map(
        wallets.flatMap((wallet, index) => {
          const amount = units[index];
          return amount === undefined ? [] : [[wallet, amount] as const];
        }),
      ),
    };
  });
}
