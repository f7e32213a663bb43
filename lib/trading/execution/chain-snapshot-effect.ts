import type { Network } from "../../core/network.ts";
import { askInParts } from "../chains/ask-in-parts.ts";
import { blockCall, receiptCall } from "../chains/evm/rpc-call.ts";
import type { ChainReader } from "../chains/open-chains.ts";
import type { Effects } from "../core/effects.ts";
import type { ChainSnapshot } from "../core/evm/host-snapshot.ts";
import type { Performers } from "./run-procedure.ts";

/** Hosts limit the number of calls in a batch. */
const receiptsPerRequest = 100;

/** Asks only the first host that answers: the run that is woken asks two. */
export const chainSnapshotEffect = (chains: ReadonlyMap<Network, ChainReader>) =>
  ({ chainSnapshot: (ask) => chainSnapshotAt(chains.get(ask.chain), ask) }) satisfies Performers;

/**
 * Reads the blocks of transactions.
 *
 * @throws {ChainUnavailable} or {@link RpcRefusal} if no host answers.
 */
async function chainSnapshotAt(
  reader: ChainReader | undefined,
  { hashes, latest: known }: Effects["chainSnapshot"]["ask"],
): Promise<ChainSnapshot | undefined> {
  if (reader === undefined) return undefined;
  const { client } = reader;
  const [latest, finalized] = await client.read([blockCall("latest"), blockCall("finalized")]);
  if (latest.hash === known) return undefined;
  const receipts = await askInParts(client.read, hashes, receiptCall, receiptsPerRequest);
  const blocks = hashes.flatMap((hash, index) => {
    const block = receipts[index]?.blockHash;
    return block === undefined ? [] : [[hash, block] as const];
  });
  return { latest: latest.hash, finalized: finalized.number, blocks: new Map(blocks) };
}
