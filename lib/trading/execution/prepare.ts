import type { ChainReader } from "../../chains/families/open-chains.ts";
import type { Network } from "../../core/network.ts";

/** Event that announces to executeOrders that an order on a chain may follow. */
export type PrepareEvent = { prepare: Network };

export const isPrepareEvent = (event: object): event is PrepareEvent => "prepare" in event;

/**
 * Opens connections to the chain's hosts, and starts the signer's process, without waiting for either: a busy process
 * would make Lambda start another one for the order. Writes and signs nothing.
 *
 * @param startSigner Starts the signer with an event that it ignores.
 */
export async function prepareRun(
  chains: ReadonlyMap<Network, Pick<ChainReader, "client">>,
  startSigner: () => Promise<void>,
  { prepare }: PrepareEvent,
): Promise<void> {
  const reader = chains.get(prepare);
  if (reader === undefined) return;
  // Ignores faults here, because the order's run asks the same hosts and the same signer.
  for (const host of reader.client.hosts) host.request([]).catch(() => undefined);
  await startSigner().catch(() => undefined);
}
