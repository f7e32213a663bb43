import type { Block } from "../../../orders/block.ts";
import type { AskedChild } from "../../../orders/resting/firing.ts";
import { type Ask, askTogether } from "../../hosts/ask-together.ts";
import { HostFault, unlessHostFails } from "../../hosts/host-fault.ts";
import { askInTwo } from "../../hosts/look.ts";
import { attemptQuietly } from "../../hosts/rpc-call.ts";
import { blockCall, nonceCall, nonceInBlockCall, receiptCall, sentInCall } from "../calls/rpc-call.ts";
import { deepNumbers, isDeep, type NonceWord, type NonceWords, type SignedNonce } from "../rules/death.ts";
import type { EvmReader } from "../venues/reader.ts";

/**
 * Asks both hosts about the nonce of a child's swap, or only for their newest blocks if none is signed. If no host has
 * a receipt, asks about the nonce in the same block at both.
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
  const deepWord = async ({ ask, word }: typeof a) => {
    const blocks = await ask(numbers.map(blockCall));
    const block = blocks.find(isDeepAtBoth);
    return block === undefined ? word : { ...word, ...(await stateAt(ask, wallet, signed, block)) };
  };
  return Promise.all([unlessHostFails(deepWord(a)), unlessHostFails(deepWord(b))]);
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

/** Number of states that one of the following requests asks for. */
const statesPerRequest = 7;

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
  let free: number = lowest;
  let used: number = below[areUsed.lastIndexOf(true)] ?? top;
  while (used - free > 1) {
    const inner = between(free, used);
    const answers = await isUsedIn(inner);
    if (answers.includes(undefined)) return undefined;
    free = inner[answers.lastIndexOf(false)] ?? free;
    used = inner[answers.indexOf(true)] ?? used;
  }
  // A host may contradict itself.
  return used > free ? used : undefined;
}

/** Lists numbers that divide a range into about equal parts. */
function between(free: number, used: number): number[] {
  const step = Math.ceil((used - free) / (statesPerRequest + 1));
  return Array.from({ length: statesPerRequest }, (_, index) => free + (index + 1) * step).filter(
    (number) => number < used,
  );
}
