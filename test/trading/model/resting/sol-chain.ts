import type { MessageWord, SignedMessages } from "../../../../lib/chains/sol/rules/child-sight.ts";
import type { BothWords } from "../../../../lib/orders/resting/firing.ts";
import type { Ladder } from "../../../../lib/orders/resting/selection.ts";
import type { PriceWord } from "../../../../lib/orders/resting/touch.ts";
import type { Random } from "../random.ts";
import { type Fill, outAtPrice } from "./resting-chain.ts";
import type { Manners } from "./resting-hosts.ts";

/** A signed message. It makes its marker, and fails if the marker is there. */
export type SolMessage = {
  signature: string;
  kind: "swap" | "clear";
  /** Child that the swap fills, or that the clear clears. */
  orderId: string;
  marker: string;
  lastHeight: number;
  amount: bigint;
  minAmountOut: bigint;
};

type Ran = { message: SolMessage; status: "ok" | "failed"; out: bigint };

/** A block, which stands for ten slots of 0.2 seconds. */
export type SolBlock = { height: number; fork: number; time: number; price: bigint; ran: readonly Ran[] };

/** View that a host shows at a moment. */
type Sight = { blocks: readonly SolBlock[]; receipts: readonly SolBlock[]; lies: boolean };

const heightsInBlock = 10;
const blockSeconds = 2;
/** Number of blocks above a final one. */
const finalDepth = 5;

/** A chain of Solana on which forks are common, with two hosts. */
export class SolChain {
  readonly #random: Random;
  blocks: readonly SolBlock[];
  #before: readonly SolBlock[];
  readonly pool: SolMessage[] = [];
  /** Markers into which a stranger has paid. */
  readonly deposits = new Set<string>();
  manners: Manners;
  price: bigint;
  delays = 0.6;
  #forks = 0;

  constructor(random: Random, startSeconds: number, price: bigint, manners: Manners) {
    this.#random = random;
    this.price = price;
    this.manners = manners;
    this.blocks = Array.from({ length: 8 }, (_, at) => ({
      height: at * heightsInBlock,
      fork: 0,
      time: startSeconds + (at - 7) * blockSeconds,
      price,
      ran: [],
    }));
    this.#before = this.blocks;
  }

  get head(): SolBlock {
    return this.blocks.at(-1) as SolBlock;
  }

  send(message: SolMessage): void {
    if (!this.pool.includes(message)) this.pool.push(message);
  }

  mine(): void {
    const { head } = this;
    const height = head.height + heightsInBlock;
    const used = this.blocks.filter(({ ran }) => ran.length > 0);
    const past = new Set(used.flatMap(({ ran }) => ran.map(({ message }) => message)));
    const marked = markersIn(used);
    const ran: Ran[] = [];
    for (const message of this.pool) {
      if (past.has(message) || height > message.lastHeight || this.#random.chance(this.delays)) continue;
      const out = outAtPrice(this.price, message.amount);
      const isOk = !marked.has(message.marker) && (message.kind === "clear" || out >= message.minAmountOut);
      ran.push({ message, status: isOk ? "ok" : "failed", out });
      if (isOk) marked.add(message.marker);
    }
    const block = { height, fork: this.#forks, time: head.time + blockSeconds, price: this.price, ran };
    this.blocks = [...this.blocks, block];
  }

  reorganise(): void {
    this.#before = this.blocks;
    this.#forks++;
    const depth = 1 + this.#random.below(finalDepth - 1);
    this.blocks = this.blocks.slice(0, -depth);
    for (let block = 0; block < depth; block++) this.mine();
  }

  fills(): Fill[] {
    return this.blocks
      .filter(({ ran }) => ran.length > 0)
      .flatMap(({ ran, time, height }) =>
        ran.flatMap(({ message: { kind, orderId, amount }, status, out }) =>
          kind === "swap" && status === "ok" ? [{ orderId, amount, out, time, number: height }] : [],
        ),
      );
  }

  /** Returns what a host shows at a moment. Undefined if it is silent. */
  sightOf(
    host: 0 | 1,
  ): { blocks: readonly SolBlock[]; receipts: readonly SolBlock[]; lies: boolean } | undefined {
    const random = this.#random;
    const { isLiar, isTorn, isSlow } = this.manners;
    if (isSlow && random.chance(0.05)) return undefined;
    const all = isSlow && random.chance(0.2) ? this.#before : this.blocks;
    const blocks = all.slice(0, all.length - (isSlow ? random.below(3) : 0));
    const receipts = blocks.slice(0, blocks.length - (isTorn ? random.below(6) : 0));
    return { blocks, receipts, lies: isLiar && host === 0 && random.chance(0.7) };
  }

  #both<Word>(wordOf: (sight: Sight) => Word): BothWords<Word> {
    const [a, b] = [this.sightOf(0), this.sightOf(1)];
    return [a && wordOf(a), b && wordOf(b)];
  }

  /** Answers about messages and their marker only from final blocks, as real hosts do on request. */
  messageWords(signed: SignedMessages | undefined, marker: string): BothWords<MessageWord> {
    const random = this.#random;
    return this.#both(({ blocks, receipts, lies }) => {
      const { time, height } = blocks.at(-1) as SolBlock;
      const finalHeight = height - finalDepth * heightsInBlock;
      const isFinal = (block: SolBlock) => block.height <= finalHeight;
      const asked = [
        ...[...(signed?.own ?? []), ...(signed?.clears ?? [])].map(({ signature }) => signature),
        ...(signed?.siblings ?? []),
      ];
      const found = receipts
        .filter((block) => block.ran.length > 0 && isFinal(block))
        .flatMap((block) =>
          block.ran
            .filter(({ message }) => asked.includes(message.signature))
            .map(({ message, status }) => [message.signature, { height: block.height, status }] as const),
        );
      const invented = { height, status: random.chance(0.5) ? ("ok" as const) : ("failed" as const) };
      return {
        time: lies ? time + 1000 : time,
        finalHeight: lies ? height + 1000 : finalHeight,
        isMarked: lies
          ? random.chance(0.5)
          : blocks.some((block) => isFinal(block) && hasMarked(block, marker)),
        receipts: new Map(
          lies ? asked.filter(() => random.chance(0.5)).map((name) => [name, invented]) : found,
        ),
      };
    });
  }

  /** Says what an amount brings now. Hosts keep no earlier states. */
  priceWords(amount: bigint): BothWords<PriceWord> {
    return this.#both(({ blocks, lies }) => {
      const { height, fork, time, price } = blocks.at(-1) as SolBlock;
      const out = outAtPrice(lies ? BigInt(this.#random.below(4_000_000)) : price, amount);
      return {
        head: { number: height, hash: `${height}.${fork}`, time },
        out,
        before: new Map(),
        hasBest: true,
      };
    });
  }

  ladders(sums: readonly bigint[]): BothWords<Ladder> {
    return this.#both(({ blocks, lies }) => {
      const price = lies ? BigInt(this.#random.below(4_000_000)) : (blocks.at(-1)?.price ?? 0n);
      return [sums.map((sum) => outAtPrice(price, sum))];
    });
  }
}

const hasMarked = ({ ran }: SolBlock, marker: string): boolean =>
  ran.some(({ message, status }) => status === "ok" && message.marker === marker);

/** Lists the markers that successful messages have made. */
export const markersIn = (blocks: readonly SolBlock[]): Set<string> =>
  new Set(
    blocks.flatMap(({ ran }) =>
      ran.flatMap(({ message, status }) => (status === "ok" ? [message.marker] : [])),
    ),
  );
