import { blockNumberOf, blockTimeOf, decimalsOf } from "../../chains/evm/calls/contract-questions.ts";
import { type ContractQuestion, multicall } from "../../chains/evm/calls/multicall.ts";
import { stateQuestion } from "../../chains/evm/calls/pool-state.ts";
import type { BlockTag } from "../../chains/evm/calls/rpc-call.ts";
import { kindOf } from "../../chains/evm/rules/swap-venues.ts";
import type { NamedPool } from "../../chains/evm/venues/pool-quotes.ts";
import { type RpcCall, thenRead } from "../../chains/hosts/rpc-call.ts";

/** A pool's state packed into one word, and the pool's fee in basis points. */
export type PoolState = { word: bigint; feeBps: number };

export type PoolStates = {
  block: { number: number; time: number };
  /** States by the pool's address. Pools that do not answer are left out. */
  states: ReadonlyMap<string, PoolState>;
  /** Decimals of tokens, by address. */
  decimals: ReadonlyMap<string, number>;
};

/** Asks for the states of pools, and for the decimals of trustworthy tokens. */
export function poolStatesCall(
  pools: readonly NamedPool[],
  tokens: readonly string[],
  tag: BlockTag,
): RpcCall<PoolStates> {
  const named = [...new Map(pools.map((pool) => [pool.pool, pool])).values()];
  const own = named.filter((pool) => kindOf(pool) === "slipstream");
  const questions = [
    ...[blockNumberOf(), blockTimeOf()],
    ...named.map((pool) => stateQuestion(pool)),
    ...own.map(({ pool }) => feeQuestion(pool)),
    ...tokens.map(decimalsOf),
  ];
  return thenRead(multicall(questions, tag), ([number, time, ...answers]) => {
    if (number === undefined || time === undefined) throw new Error("The host shows no block");
    const words = answers.splice(0, named.length);
    const fees = answers.splice(0, own.length);
    const feeOf = (pool: NamedPool) => {
      const fee = fees[own.indexOf(pool)];
      return fee === undefined ? pool.feeBps : Number(fee) / 100;
    };
    return {
      block: { number: Number(number), time: Number(time) },
      states: new Map(
        named.flatMap((pool, index) => {
          const word = words[index];
          return word === undefined ? [] : [[pool.pool, { word, feeBps: feeOf(pool) }] as const];
        }),
      ),
      decimals: new Map(
        tokens.flatMap((token, index) => {
          const decimals = answers[index];
          return decimals === undefined ? [] : [[token, Number(decimals)] as const];
        }),
      ),
    };
  });
}

/** Asks for a pool's own fee, in hundredths of a basis point. Only pools with a spacing may have one. */
const feeQuestion = (pool: string): ContractQuestion<bigint> => ({
  to: pool,
  data: "0xddca3f43",
  read(answer) {
    const fee = BigInt(answer);
    if (fee > 1_000_000n) throw new Error("A fee is more than 100 %");
    return fee;
  },
});
