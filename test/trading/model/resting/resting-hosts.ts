import type { NonceWord, SignedNonce } from "../../../../lib/chains/evm/rules/death.ts";
import type { BothWords } from "../../../../lib/orders/resting/firing.ts";
import type { Ladder } from "../../../../lib/orders/resting/selection.ts";
import type { PriceWord } from "../../../../lib/orders/resting/touch.ts";
import type { Random } from "../random.ts";
import { type Mined, nonceOf, outAtPrice, type PricedBlock, type RestingChain } from "./resting-chain.ts";

/** Behaviour of the two hosts in a history. */
export type Manners = {
  /** True if the first host invents answers. */
  isLiar: boolean;
  /** True if receipts of a host may be older than its head. */
  isTorn: boolean;
  /** True if hosts are behind, silent, or still on a replaced fork. */
  isSlow: boolean;
};

export const politely: Manners = { isLiar: false, isTorn: false, isSlow: false };

/** View that a host shows at a moment. */
type Sight = { blocks: readonly PricedBlock[]; receipts: readonly PricedBlock[]; lies: boolean };

/** Two hosts of a chain. */
export class RestingHosts {
  readonly #random: Random;
  readonly #chain: RestingChain;
  manners: Manners;
  /** True if hosts have pruned old states, so that they cannot name the transaction that has used a nonce. */
  forgets = false;

  constructor(random: Random, chain: RestingChain, manners: Manners) {
    this.#random = random;
    this.#chain = chain;
    this.manners = manners;
  }

  #sights(): readonly [Sight | undefined, Sight | undefined] {
    return [this.sightOf(0), this.sightOf(1)];
  }

  /** Returns what a host shows at a moment. Undefined if it is silent. */
  sightOf(host: 0 | 1): Sight | undefined {
    const random = this.#random;
    const { isLiar, isTorn, isSlow } = this.manners;
    if (isSlow && random.chance(0.05)) return undefined;
    const all = isSlow && random.chance(0.2) ? this.#chain.before : this.#chain.blocks;
    const lag = isSlow && random.chance(0.5) ? random.below(3) : 0;
    const blocks = all.slice(0, Math.max(1, all.length - lag));
    const back = isTorn ? random.below(7) : 0;
    const receipts = blocks.slice(0, Math.max(1, blocks.length - back));
    return { blocks, receipts, lies: isLiar && host === 0 && random.chance(0.7) };
  }

  /** Answers about a wallet's nonce. Asks both hosts about the state after a block of the same number. */
  nonceWords(wallet: string, signed: SignedNonce | undefined): BothWords<NonceWord> {
    const sights = this.#sights();
    const heads = sights.flatMap((sight) => sight?.blocks.at(-1)?.number ?? []);
    const asked = Math.min(...heads) - 2;
    const words = sights.map((sight) => sight && this.#nonceWord(sight, wallet, signed, asked));
    return [words[0], words[1]];
  }

  #nonceWord(
    { blocks, receipts, lies }: Sight,
    wallet: string,
    signed: SignedNonce | undefined,
    asked: number,
  ): NonceWord {
    const head = nameOf(blocks.at(-1) as PricedBlock);
    const final = Math.max(0, head.number - 6);
    if (signed === undefined)
      return { head: lies ? { ...head, time: head.time + 1000 } : head, final, receipts: new Map() };
    if (lies) return this.#inventedWord(blocks, signed);
    const { forgets } = this;
    const own = new Set([...signed.swaps, ...signed.clears]);
    const found: NonceWord["receipts"] = new Map(
      receipts
        .filter(({ mined }) => mined.length > 0)
        .flatMap((block) =>
          block.mined.flatMap(({ tx, status }) =>
            own.has(tx.hash) ? [[tx.hash, { block: nameOf(block), status }] as const] : [],
          ),
        ),
    );
    const at = blocks.find(({ number }) => number === asked);
    const user = blocks.find((block) => nonceOf(block, wallet) > signed.nonce);
    const isAtNonce = ({ tx }: Mined) => tx.wallet === wallet && tx.nonce === signed.nonce;
    const taken = forgets ? undefined : user?.mined.find(isAtNonce);
    const missed = forgets && blocks.find(({ time }) => time > signed.deadline);
    const isIn = ({ time, mined }: PricedBlock) =>
      time <= signed.deadline && mined.some(({ tx }) => signed.swaps.includes(tx.hash));
    return {
      head,
      final,
      receipts: found,
      ...(at && { state: { block: nameOf(at), nonce: nonceOf(at, wallet) } }),
      ...(user && taken && { taken: { block: nameOf(user), hash: taken.tx.hash } }),
      ...(missed && !blocks.some(isIn) && { missed: nameOf(missed) }),
    };
  }

  /** Invents proofs in blocks that exist. */
  #inventedWord(blocks: readonly PricedBlock[], { nonce, swaps, clears }: SignedNonce): NonceWord {
    const random = this.#random;
    const last = nameOf(blocks.at(-1) as PricedBlock);
    const head = { ...last, number: last.number + 5, time: last.time + 60 };
    const block = nameOf(blocks[Math.max(0, blocks.length - 1 - random.below(8))] as PricedBlock);
    const lie = random.below(4);
    const hash = random.pick([...swaps, ...clears]) ?? "";
    return {
      head,
      final: head.number,
      receipts: new Map(lie === 0 ? [[hash, { block, status: "failed" as const }]] : []),
      ...(lie === 1 && { state: { block: { ...block, time: head.time }, nonce } }),
      ...(lie === 2 && { taken: { block, hash: "invented" } }),
    };
  }

  /** Returns a wallet's next nonce and the time of the older head, if both hosts agree on the nonce. */
  agreedNonce(wallet: string): { nonce: number; time: number } | undefined {
    const [a, b] = this.#sights().map((sight) => sight?.blocks.at(-1));
    if (a === undefined || b === undefined || nonceOf(a, wallet) !== nonceOf(b, wallet)) return undefined;
    return { nonce: nonceOf(a, wallet), time: Math.min(a.time, b.time) };
  }

  /** Says what an amount brings, at the newest block that both hosts have. */
  priceWords(amount: bigint, distances: readonly number[]): BothWords<PriceWord> {
    const sights = this.#sights();
    const common = Math.min(...sights.flatMap((sight) => sight?.blocks.at(-1)?.number ?? []));
    const words = sights.map((sight) => sight && this.#priceWord(sight, common, amount, distances));
    return [words[0], words[1]];
  }

  #priceWord(
    { blocks, lies }: Sight,
    common: number,
    amount: bigint,
    distances: readonly number[],
  ): PriceWord {
    const random = this.#random;
    const at = blocks.findIndex(({ number }) => number === common);
    const block = blocks[at] as PricedBlock;
    const invented = BigInt(random.below(4_000_000));
    const outOf = (index: number): bigint =>
      outAtPrice(lies ? invented : (blocks[index]?.price ?? 0n), amount);
    return {
      head: nameOf(block),
      out: outOf(at),
      before: new Map(distances.filter((each) => at - each >= 0).map((each) => [each, outOf(at - each)])),
      hasBest: true,
    };
  }

  /** Says what some sums bring. The pool is so deep that the price stays. */
  ladders(sums: readonly bigint[]): readonly [Ladder | undefined, Ladder | undefined] {
    const ladders = this.#sights().map((sight) => {
      if (sight === undefined) return undefined;
      const price = sight.lies ? BigInt(this.#random.below(4_000_000)) : (sight.blocks.at(-1)?.price ?? 0n);
      return [sums.map((sum) => outAtPrice(price, sum))];
    });
    return [ladders[0], ladders[1]];
  }
}

const nameOf = ({ number, hash, time }: PricedBlock) => ({ number, hash, time });
