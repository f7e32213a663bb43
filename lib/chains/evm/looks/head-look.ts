import { inPartsOf } from "../../../core/in-parts.ts";
import type { Look } from "../../../orders/block.ts";
import { askInParts } from "../../hosts/ask-in-parts.ts";
import { type Ask, askTogether } from "../../hosts/ask-together.ts";
import { fromAnyHost } from "../../hosts/from-any-host.ts";
import { HostFault } from "../../hosts/host-fault.ts";
import { multicallABI } from "../calls/contract-abi.ts";
import { blockNumberOf, blockTimeOf } from "../calls/contract-questions.ts";
import { type ContractQuestion, contractQuestion, multicall, multicallAddress } from "../calls/multicall.ts";
import { blockCall, blockHashCall, receiptCall } from "../calls/rpc-call.ts";
import type { EvmReader } from "../venues/reader.ts";

/** Maximum number of calls per request, because hosts limit the size of batches. */
const callsPerRequest = 100;

const hashQuestion = (name: "getBlockHash" | "getLastBlockHash", ...values: number[]) =>
  contractQuestion(multicallABI, name, {
    to: multicallAddress,
    values,
    // Zero if the contract does not know the hash.
    read: ([hash]): string | undefined => (/^0x0+$/.test(hash) ? undefined : hash),
  });

/** Asks for the latest block and its ancestors. {@link headIn} reads the answers. */
export const headQuestions = (
  heights: readonly number[],
): ContractQuestion<bigint | string | undefined>[] => [
  blockNumberOf(),
  blockTimeOf(),
  hashQuestion("getLastBlockHash"),
  ...heights.map((height) => hashQuestion("getBlockHash", height)),
];

/** @throws {HostFault} if the host did not answer about the latest block */
export function headIn(
  heights: readonly number[],
  [number, time, parentHash, ...hashes]: readonly (bigint | string | undefined)[],
): Look {
  if (typeof number !== "bigint" || typeof time !== "bigint" || typeof parentHash !== "string")
    throw new HostFault("BAD_RESULT", "eth_call");
  return {
    number: Number(number),
    time: Number(time),
    parentHash,
    hashes: known(heights, hashes as (string | undefined)[]),
  };
}

/**
 * Adds the hashes of blocks that the first host did not know. The contract knows the last 256 blocks, but a slow node
 * knows fewer.
 *
 * @param host The number of the host to ask first.
 * @throws {ChainUnavailable} if no host answers.
 */
export async function withOlderHashes<Each extends Look>(
  reader: EvmReader,
  host: number,
  heights: readonly number[],
  look: Each,
): Promise<Each> {
  const unknown = heights.filter((height) => height < look.number && !look.hashes.has(height));
  if (unknown.length === 0) return look;
  const headers = await fromAnyHost(reader, host, (request) => headersOf(request, unknown));
  return { ...look, hashes: new Map([...look.hashes, ...headers]) };
}

const headersOf = async (ask: Ask, heights: readonly number[]) =>
  known(heights, await askInParts(ask, heights, (height) => blockHashCall(height), callsPerRequest));

/** Omits the heights whose block hashes are unknown. */
const known = (heights: readonly number[], hashes: readonly (string | undefined)[]): Map<number, string> =>
  new Map(
    heights.flatMap((height, index) => {
      const hash = hashes[index];
      return hash === undefined ? [] : [[height, hash] as const];
    }),
  );

/**
 * Looks at a chain through the host with this number, or the next one that answers. Asks other hosts for missing
 * hashes.
 */
export async function lookAtEvm(
  reader: EvmReader,
  host: number,
  heights: readonly number[],
  wantsFinal: boolean,
): Promise<Look> {
  const look = await fromAnyHost(reader, host, (request) => askOnce(request, heights, wantsFinal));
  return withOlderHashes(reader, host + 1, heights, look);
}

async function askOnce(ask: Ask, heights: readonly number[], wantsFinal: boolean): Promise<Look> {
  const { look, final } = await askTogether(ask, {
    look: multicall(headQuestions(heights), "latest"),
    final: wantsFinal ? [blockCall("finalized")] : [],
  });
  return { ...headIn(heights, look), ...(final[0] !== undefined && { final: final[0] }) };
}

/** Requests the parts one after another, so that only one answer per chain is in memory at a time. */
export async function evmBlocksOf(ask: Ask, hashes: readonly string[]): Promise<Map<string, string>> {
  const blocks = new Map<string, string>();
  for (const part of inPartsOf(callsPerRequest, hashes)) {
    const receipts = await askInParts(ask, part, receiptCall, callsPerRequest);
    for (const [index, hash] of part.entries()) blocks.set(hash, receipts[index]?.blockHash ?? "");
  }
  return blocks;
}
