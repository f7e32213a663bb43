import { multicall } from "../../chains/evm/calls/multicall.ts";
import { blockCall, receiptCall } from "../../chains/evm/calls/rpc-call.ts";
import { headIn, headQuestions, withOlderHashes } from "../../chains/evm/looks/head-look.ts";
import type { ChainReader } from "../../chains/families/open-chains.ts";
import { askInParts } from "../../chains/hosts/ask-in-parts.ts";
import { type Ask, askTogether } from "../../chains/hosts/ask-together.ts";
import { fromAnyHost } from "../../chains/hosts/from-any-host.ts";
import { lookAtSol, solBlocksOf } from "../../chains/sol/looks/head-look.ts";
import { inPartsOf } from "../../core/in-parts.ts";
import type { Network } from "../../core/network.ts";
import type { Look } from "../../orders/block.ts";
import type { Effects } from "../../orders/effects.ts";
import type { Performers } from "./run-procedure.ts";

/** Hosts limit the number of calls in a batch. */
const callsPerRequest = 100;

/** Asks only the first host that answers: the run that is woken asks two. */
export const lookEffects = (chains: ReadonlyMap<Network, ChainReader>) =>
  ({
    look: (ask) => lookAt(chains.get(ask.chain), ask),
    minedIn: async ({ chain, host, hashes }) => {
      const reader = chains.get(chain);
      if (reader === undefined) return undefined;
      return fromAnyHost(reader, host, (request) =>
        chain === "sol" ? solBlocksOf(request, hashes) : blocksOf(request, hashes),
      );
    },
  }) satisfies Performers;

async function lookAt(
  reader: ChainReader | undefined,
  { host, heights, wantsFinal }: Effects["look"]["ask"],
): Promise<Look | undefined> {
  if (reader === undefined) return undefined;
  if (reader.chain === "sol")
    return fromAnyHost(reader, host, (request) => lookAtSol(request, heights, wantsFinal));
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

/** Asks for one part after the other, so a chain has at most one answer in memory. */
async function blocksOf(ask: Ask, hashes: readonly string[]): Promise<Map<string, string>> {
  const blocks = new Map<string, string>();
  for (const part of inPartsOf(callsPerRequest, hashes)) {
    const receipts = await askInParts(ask, part, receiptCall, callsPerRequest);
    for (const [index, hash] of part.entries()) blocks.set(hash, receipts[index]?.blockHash ?? "");
  }
  return blocks;
}
