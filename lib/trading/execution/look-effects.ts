import { inPartsOf } from "../../core/in-parts.ts";
import type { Network } from "../../core/network.ts";
import { askInParts } from "../chains/ask-in-parts.ts";
import { type Ask, askTogether } from "../chains/ask-together.ts";
import { multicallABI } from "../chains/evm/contract-abi.ts";
import { blockNumberOf, blockTimeOf } from "../chains/evm/contract-questions.ts";
import { contractQuestion, multicall, multicallAddress } from "../chains/evm/multicall.ts";
import { blockCall, blockHashCall, receiptCall } from "../chains/evm/rpc-call.ts";
import { ChainUnavailable, type HostError, HostFault, isHostError } from "../chains/host-fault.ts";
import type { ChainReader } from "../chains/open-chains.ts";
import type { Look } from "../core/block.ts";
import type { Effects } from "../core/effects.ts";
import type { Performers } from "./run-procedure.ts";
import { lookAtSol, solBlocksOf } from "./sol-looks.ts";

/** Hosts limit the number of calls in a batch. */
const callsPerRequest = 100;

/** Asks only the first host that answers: the run that is woken asks two. */
export const lookEffects = (chains: ReadonlyMap<Network, ChainReader>) =>
  ({
    look: (ask) => lookAt(chains.get(ask.chain), ask),
    minedIn: ({ chain, host, hashes }) =>
      fromAnyHost(chains.get(chain), host, (request) =>
        chain === "sol" ? solBlocksOf(request, hashes) : blocksOf(request, hashes),
      ),
  }) satisfies Performers;

/**
 * Asks one host after the other, beginning with the one of that number.
 *
 * @throws {ChainUnavailable} if no host answers.
 */
async function fromAnyHost<Answer>(
  reader: ChainReader | undefined,
  number: number,
  ask: (request: Ask) => Promise<Answer>,
): Promise<Answer | undefined> {
  if (reader === undefined) return undefined;
  const hosts = reader.client.inOrder();
  const first = number % hosts.length;
  let failure: HostError | undefined;
  for (const { request } of [...hosts.slice(first), ...hosts.slice(0, first)]) {
    try {
      return await ask(request);
    } catch (error) {
      if (!isHostError(error)) throw error;
      failure = error;
    }
  }
  throw new ChainUnavailable(`No host of ${reader.chain} answers`, { cause: failure });
}

const hashQuestion = (name: "getBlockHash" | "getLastBlockHash", ...values: number[]) =>
  contractQuestion(multicallABI, name, {
    to: multicallAddress,
    values,
    // The hash is zero if the contract does not know it.
    read: ([hash]): string | undefined => (/^0x0+$/.test(hash) ? undefined : hash),
  });

async function lookAt(
  reader: ChainReader | undefined,
  { host, heights, wantsFinal }: Effects["look"]["ask"],
): Promise<Look | undefined> {
  const isSol = reader?.chain === "sol";
  const look = await fromAnyHost(reader, host, (request) =>
    isSol ? lookAtSol(request, heights, wantsFinal) : askOnce(request, heights, wantsFinal),
  );
  if (look === undefined || isSol) return look;
  // The contract knows the last 256 blocks, and a slow node fewer.
  const unknown = heights.filter((height) => height < look.number && !look.hashes.has(height));
  if (unknown.length === 0) return look;
  const headers = await fromAnyHost(reader, host + 1, (request) => headersOf(request, unknown));
  return { ...look, hashes: new Map([...look.hashes, ...(headers ?? [])]) };
}

async function askOnce(ask: Ask, heights: readonly number[], wantsFinal: boolean): Promise<Look> {
  const questions = [
    blockNumberOf(),
    blockTimeOf(),
    hashQuestion("getLastBlockHash"),
    ...heights.map((height) => hashQuestion("getBlockHash", height)),
  ] as const;
  const asked = { look: multicall(questions, "latest"), final: wantsFinal ? [blockCall("finalized")] : [] };
  const { look, final } = await askTogether(ask, asked);
  const [number, time, parentHash, ...found] = look;
  if (number === undefined || time === undefined || parentHash === undefined)
    throw new HostFault("BAD_RESULT", "eth_call");
  return {
    number: Number(number),
    time: Number(time),
    parentHash,
    hashes: known(heights, found),
    ...(final[0] !== undefined && { final: final[0] }),
  };
}

const headersOf = async (ask: Ask, heights: readonly number[]) =>
  known(heights, await askInParts(ask, heights, (height) => blockHashCall(height), callsPerRequest));

/** Leaves out the heights whose hashes are unknown. */
const known = (heights: readonly number[], hashes: readonly (string | undefined)[]): Map<number, string> =>
  new Map(
    heights.flatMap((height, index) => {
      const hash = hashes[index];
      return hash === undefined ? [] : [[height, hash] as const];
    }),
  );

/** Asks for one part after the other, so a chain has at most one answer in memory. */
async function blocksOf(ask: Ask, hashes: readonly string[]): Promise<Map<string, string>> {
  const blocks = new Map<string, string>();
  for (const part of inPartsOf(callsPerRequest, hashes)) {
    const receipts = await askInParts(ask, part, receiptCall, callsPerRequest);
    for (const [index, hash] of part.entries()) blocks.set(hash, receipts[index]?.blockHash ?? "");
  }
  return blocks;
}
