import type { TokenUnits } from "../../../core/units.ts";
import { type RpcCall, thenRead } from "../../hosts/rpc-call.ts";
import type { EvmConfiguration } from "../rules/configuration.ts";
import { allowanceOf, balanceOf, blockNumberOf } from "./contract-questions.ts";
import { multicall } from "./multicall.ts";
import type { BlockTag } from "./rpc-call.ts";

/** A wallet's units of a token and each router's allowance, with the number of the block at which they were read. */
export type TokenBelongings = {
  block: number;
  held: TokenUnits;
  allowances: ReadonlyMap<string, TokenUnits>;
};

/** Gas limit for a token's answers about itself. */
export const tokenGas = 2_000_000n;

/** Asks for a wallet's balance and allowances. Undefined if the token does not answer. */
export function belongingsCall(
  { venues }: Pick<EvmConfiguration, "venues">,
  token: string,
  wallet: string,
  tag: BlockTag,
): RpcCall<TokenBelongings | undefined> {
  const routers = [...new Set(venues.map(({ router }) => router))];
  const questions = [
    blockNumberOf(),
    balanceOf(token, wallet),
    ...routers.map((router) => allowanceOf(token, wallet, router)),
  ] as const;
  return thenRead(multicall(questions, tag, tokenGas), ([block, held, ...allowed]) => {
    if (block === undefined || held === undefined) return undefined;
    return {
      block: Number(block),
      held,
      allowances: new Map(routers.map((router, index) => [router, allowed[index] ?? 0n])),
    };
  });
}
