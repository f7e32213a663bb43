import type { EvmChain } from "../../../core/chain-facts.ts";
import type { Block, BlockName } from "../../../orders/block.ts";
import type { DeadChild } from "../../../orders/resting/mandate.ts";

/** An order's swap in the signer's ledger: its nonce, its deadline, and all that was signed at the nonce. */
export type SignedNonce = {
  nonce: number;
  /** Time in seconds. A swap takes no effect in a later block. */
  deadline: number;
  swaps: readonly string[];
  clears: readonly string[];
};

/** The newest block of a host, and the number of the final one. */
export type Heights = { head: Block; final: number };

export type NonceWord = Heights & {
  /** Receipts of the transactions that the ledger names, by hash. */
  receipts: ReadonlyMap<string, { block: Block; status: "ok" | "failed" }>;
  /** The wallet's next nonce in the state after a block. The host was asked by the block's hash. */
  state?: { block: Block; nonce: number } | undefined;
  /** The wallet's transaction at the nonce, from the full list of its block. */
  taken?: { block: Block; hash: string } | undefined;
  /** The first block past the swap's deadline, if no block before it has the swap. */
  missed?: Block | undefined;
};

/** The answers of both hosts. Undefined for a host without a clear answer, because silence proves nothing. */
export type NonceWords = readonly [NonceWord | undefined, NonceWord | undefined];

export type Death = { how: DeadChild["how"]; block: BlockName };

/** Further blocks on eth, and further seconds on base, after which a block counts as lasting. */
const depth = { eth: 2, base: 10 };

/**
 * Lists the newest blocks that may be so deep at both hosts that a nonce unused there proves something. Blocks of base
 * come every two seconds, except on local chains.
 */
export function deepNumbers(chain: EvmChain, words: readonly Heights[]): number[] {
  const head = Math.min(...words.map(({ head: { number } }) => number));
  if (chain === "eth") return [head - depth.eth];
  if (chain === "base") return [depth.base / 2, depth.base, 2 * depth.base].map((below) => head - below);
  return [Math.min(...words.map(({ final }) => final))];
}

/** True if a block is so deep that a reorganisation need not be feared. The other chains are final within seconds. */
export function isDeep(chain: EvmChain, { number, time }: Block, { head, final }: Heights): boolean {
  if (chain === "eth") return head.number - number >= depth.eth;
  if (chain === "base") return head.time - time >= depth.base;
  return number <= final;
}

/**
 * Returns the proof that a swap can never take effect: in a block that both hosts know, with enough blocks above it. A
 * past deadline or a missing receipt proves nothing, because receipts of a host may be older than its head.
 */
export function deathOf(chain: EvmChain, signed: SignedNonce, [a, b]: NonceWords): Death | undefined {
  if (a === undefined || b === undefined || [a, b].some((word) => hasFilled(signed, word))) return undefined;
  const others = proofsIn(signed, b).filter(({ block }) => isDeep(chain, block, b));
  const found = proofsIn(signed, a).find(
    ({ how, block }) =>
      isDeep(chain, block, a) && others.some((other) => other.how === how && other.block.hash === block.hash),
  );
  return found && { how: found.how, block: { number: found.block.number, hash: found.block.hash } };
}

/** Returns the block of a swap's fill if both hosts have it there. A reorganisation may still take it back. */
export function fillBlockOf({ swaps }: SignedNonce, [a, b]: NonceWords): BlockName | undefined {
  const filled = swaps.find((hash) => {
    const [one, other] = [a?.receipts.get(hash), b?.receipts.get(hash)];
    return one?.status === "ok" && other?.status === "ok" && one.block.hash === other.block.hash;
  });
  const block = filled === undefined ? undefined : a?.receipts.get(filled)?.block;
  return block && { number: block.number, hash: block.hash };
}

/** True if a host says that a swap has taken effect. */
export const hasFilled = ({ swaps }: SignedNonce, { receipts }: NonceWord): boolean =>
  swaps.some((hash) => receipts.get(hash)?.status === "ok");

type Proof = { how: Death["how"]; block: Block };

function proofsIn({ nonce, deadline, swaps, clears }: SignedNonce, word: NonceWord): Proof[] {
  const { receipts, state, taken, missed } = word;
  const failed = swaps.flatMap((hash) => {
    const receipt = receipts.get(hash);
    return receipt?.status === "failed" ? [{ how: "failed" as const, block: receipt.block }] : [];
  });
  const cleared = clears.flatMap((hash) => {
    const receipt = receipts.get(hash);
    return receipt === undefined ? [] : [{ how: "cleared" as const, block: receipt.block }];
  });
  const isUnused = state !== undefined && state.nonce <= nonce && state.block.time > deadline;
  const isForeign = taken !== undefined && ![...swaps, ...clears].includes(taken.hash);
  return [
    ...failed,
    ...cleared,
    ...(isUnused ? [{ how: "unused" as const, block: state.block }] : []),
    ...(isForeign ? [{ how: "foreign" as const, block: taken.block }] : []),
    ...(missed !== undefined && missed.time > deadline ? [{ how: "unused" as const, block: missed }] : []),
  ];
}
