import type { Block } from "../../../orders/block.ts";
import type { AskedChild } from "../../../orders/resting/firing.ts";
import { type Ask, askTogether } from "../../hosts/ask-together.ts";
import { HostFault, unlessHostFails } from "../../hosts/host-fault.ts";
import { askInTwo } from "../../hosts/look.ts";
import { attemptQuietly } from "../../hosts/rpc-call.ts";
import {
  blockCall,
  hashesInCall,
  nonceCall,
  nonceInBlockCall,
  receiptCall,
  sentInCall,
} from "../calls/rpc-call.ts";
import { deepNumbers, isDeep, type NonceWord, type NonceWords, type SignedNonce } from "../rules/death.ts";
import type { EvmReader } from "../venues/reader.ts";

/**
 * Asks both hosts about the nonce of a child's swap, or only for their newest blocks if none is signed. If no host has
 * a receipt, asks about the nonce in the same block at both. If a host cannot name the transaction that has used it,
 * asks both for the blocks that could have had the swap.
 */
export async function nonceWordsOf(
  { chain, client }: EvmReader,
  { wallet, signed }: AskedChild<SignedNonce>,
): Promise<NonceWords> {
  const [a, b] = await askInTwo(client.hosts, async (ask) => ({ ask, word: await firstWord(ask, signed) }));
  if (a === undefined || b === undefined || signed === undefined) return [a?.word, b?.word];
  const words = [a.word, b.word];
  if (words.some(({ receipts }) => receipts.size > 0)) return [a.word, b.word];
  const numbers = deepNumbers(chain, words).filter((number) => number >= 0);
  const isDeepAtBoth = (block: Block) => words.every((word) => isDeep(chain, block, word));
  const deepWord = async ({ ask, word }: typeof a): Promise<NonceWord> => {
    const blocks = await ask(numbers.map(blockCall));
    const block = blocks.find(isDeepAtBoth);
    return block === undefined ? word : { ...word, ...(await stateAt(ask, wallet, signed, block)) };
  };
  const [one, other] = await Promise.all([unlessHostFails(deepWord(a)), unlessHostFails(deepWord(b))]);
  if (one === undefined || other === undefined) return [one, other];
  const isNamed = ({ state, taken }: NonceWord) => taken !== undefined || (state?.nonce ?? 0) <= signed.nonce;
  if ([one, other].every(isNamed)) return [one, other];
  const withMissed = async ({ ask }: typeof a, { state, ...word }: NonceWord): Promise<NonceWord> => ({
    ...word,
    state,
    missed: state && (await missedBlock(ask, signed, state.block)),
  });
  return Promise.all([unlessHostFails(withMissed(a, one)), unlessHostFails(withMissed(b, other))]);
}

async function firstWord(ask: Ask, signed: SignedNonce | undefined): Promise<NonceWord> {
  const hashes = signed === undefined ? [] : [...signed.swaps, ...signed.clears];
  const { head, final, mined } = await askTogether(ask, {
    head: blockCall("latest"),
    final: blockCall("finalized"),
    mined: hashes.map((hash) => receiptCall(hash, false)),
  });
  const found = mined.flatMap((each, index) =>
    each === undefined ? [] : [{ ...each, hash: hashes[index] as string }],
  );
  // Asks for the blocks by number, so that a block that was replaced meanwhile is noticed.
  const blocks = found.length === 0 ? [] : await ask(found.map(({ blockNumber }) => blockCall(blockNumber)));
  const receipts = found.map(({ hash, blockHash, isOk }, index) => {
    const block = blocks[index] as Block;
    if (block.hash !== blockHash) throw new HostFault("BAD_RESULT", "eth_getBlockByNumber");
    return [hash, { block, status: isOk ? "ok" : "failed" }] as const;
  });
  return { head, final: final.number, receipts: new Map(receipts) };
}

/** Reads the nonce in a block's state and, if it is used, finds the transaction that has used it. */
async function stateAt(
  ask: Ask,
  wallet: string,
  { nonce }: SignedNonce,
  block: Block,
): Promise<Pick<NonceWord, "state" | "taken">> {
  const [next] = await ask([nonceInBlockCall(wallet, block.hash)]);
  const state = { block, nonce: next };
  if (next <= nonce) return { state };
  const number = await numberOfUse(ask, wallet, nonce, block.number);
  if (number === undefined) return { state };
  const [{ sent, block: found }] = await ask([sentInCall(number, wallet)]);
  const taken = sent.find((each) => each.nonce === nonce);
  return { state, ...(taken && { taken: { block: found, hash: taken.hash } }) };
}

/** Distances below a block at which a nonce is asked for first. Most hosts have the states of 128 blocks. */
const distances = [1, 8, 60, 120, 1000];

/** Number of states or blocks that a request of a search asks for. */
const blocksPerRequest = 7;

/** Finds the block that has used a nonce, at or below a block with a higher nonce. Undefined if it is too old. */
async function numberOfUse(
  ask: Ask,
  wallet: string,
  nonce: number,
  top: number,
): Promise<number | undefined> {
  const isUsedIn = async (numbers: readonly number[]) =>
    (await ask(numbers.map((number) => attemptQuietly(nonceCall(wallet, number))))).map((next) =>
      next === undefined ? undefined : next > nonce,
    );
  const below = [...new Set(distances.map((distance) => Math.max(0, top - distance)))];
  const areUsed = await isUsedIn(below);
  const lowest = below[areUsed.indexOf(false)];
  if (lowest === undefined) return undefined;
  return firstWhere(isUsedIn, lowest, below[areUsed.lastIndexOf(true)] ?? top);
}

/** Finds the first block that meets a condition. All later blocks must meet it, too. Undefined if a host cannot tell. */
async function firstWhere(
  holdsIn: (numbers: readonly number[]) => Promise<readonly (boolean | undefined)[]>,
  before: number,
  top: number,
): Promise<number | undefined> {
  let [low, high] = [before, top];
  while (high - low > 1) {
    const inner = between(low, high);
    const answers = await holdsIn(inner);
    if (answers.includes(undefined)) return undefined;
    low = inner[answers.lastIndexOf(false)] ?? low;
    high = inner[answers.indexOf(true)] ?? high;
  }
  // A host may contradict itself.
  return high > low ? high : undefined;
}

/** Lists numbers that divide a range into about equal parts. */
function between(low: number, high: number): number[] {
  const step = Math.ceil((high - low) / (blocksPerRequest + 1));
  return Array.from({ length: blocksPerRequest }, (_, index) => low + (index + 1) * step).filter(
    (number) => number < high,
  );
}

/** Highest number of blocks that a chain has in a second. */
const mostInSecond = 4;

/**
 * Time before a swap's deadline in which a block may have had it, in seconds: its life, with a margin for clocks, and
 * for a chain that halts and then catches up.
 */
const lifeSeconds = 180;

/** Number of lists of hashes that one request asks for. */
const listsPerRequest = 20;

/**
 * Returns the first block past a swap's deadline, if no block before it has the swap. Then the swap never takes effect,
 * whatever has used its nonce. Needs no states, which hosts soon forget, and no transaction of the wallet, because a
 * delegation (EIP-7702) uses nonces without one.
 */
async function missedBlock(
  ask: Ask,
  { deadline, swaps }: SignedNonce,
  top: Block,
): Promise<Block | undefined> {
  if (top.time <= deadline) return undefined;
  const isPast = async (numbers: readonly number[]) =>
    (await ask(numbers.map(blockCall))).map(({ time }) => time > deadline);
  const early = Math.max(-1, top.number - 1 - mostInSecond * (top.time - deadline));
  const first = await firstWhere(isPast, early, top.number);
  if (first === undefined) return undefined;
  let missed: Block | undefined;
  let wanted: string | undefined;
  // Stops at a number, too, because a host could lie about times and so keep this run busy.
  const last = Math.max(0, first - mostInSecond * lifeSeconds);
  for (let at = first; at >= last; at -= listsPerRequest) {
    const count = Math.min(listsPerRequest, at - last + 1);
    const calls = Array.from({ length: count }, (_, below) => hashesInCall(at - below));
    for (const { block, parentHash, hashes } of await ask(calls)) {
      // Another block has replaced this one in the meantime.
      if (block.hash !== (wanted ?? block.hash)) return undefined;
      if (block.time < deadline - lifeSeconds) return missed;
      if (block.time <= deadline && hashes.some((hash) => swaps.includes(hash))) return undefined;
      missed ??= block;
      wanted = parentHash;
    }
  }
  return last === 0 ? missed : undefined;
}
