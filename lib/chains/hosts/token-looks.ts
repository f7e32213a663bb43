import type { Order } from "../../orders/execution.ts";

/** A question about what some amounts bring, at most 16 of them. */
export type PriceQuestion = { side: Order["side"]; token: string; amounts: readonly bigint[] };

/**
 * The states of a token's pools as natural logarithms. The greatest change of one of them is at least as great as the
 * change of the token's price.
 */
export type PoolLevels = readonly number[];

/** Looks at the pools of tokens through one host at a time. Its answers are hints. */
export type TokenLooks = {
  /**
   * Looks at pools through the host with this number, or the next one that answers. Tokens without pools are absent.
   *
   * @throws {ChainUnavailable} if no host answers.
   */
  levels(tokens: readonly string[], host: number): Promise<ReadonlyMap<string, PoolLevels>>;
  /**
   * Asks the same host what amounts bring. An amount that no route trades is undefined.
   *
   * @throws {ChainUnavailable} if no host answers.
   */
  outs(question: PriceQuestion, host: number): Promise<readonly (bigint | undefined)[]>;
};

/** Logarithm of a number that may be 0. */
export const levelOf = (value: bigint): number => Math.log(Number(value) + 1);
