import { isDeepStrictEqual } from "node:util";
import { unlessHostFails } from "../../chains/hosts/host-fault.ts";
import type { RpcCall } from "../../chains/hosts/rpc-call.ts";
import {
  type Balance,
  type PastTransaction,
  pastTransactionCall,
  signaturesCall,
} from "../../chains/sol/calls/past-calls.ts";
import type { SolReader } from "../../chains/sol/venues/reader.ts";
import { forEachConcurrently } from "../../core/concurrency.ts";
import type { SwapSums } from "../core/candle.ts";
import { decimalsOfCoin, type SolPool } from "./pools.ts";
import {
  mostSignatures,
  type PoolSignature,
  type PoolStep,
  planCount,
  sumsOfSteps,
} from "./rules/swap-count.ts";
import type { PoolSighting } from "./rules/witnesses.ts";
import { sampledVenues } from "./venues.ts";

/** Number of signatures that are listed: those of a minute, and those of the seconds after it. */
const listed = 2 * mostSignatures;

/** Number of transactions of a minute that are opened at a time. */
const openedAtOnce = 4;

/**
 * Counts the swaps of a pool between states. Undefined if there are too many, or if two hosts do not agree on them.
 *
 * @param samples The states in a minute, with the last one before it.
 */
export type CountSwaps = (pool: SolPool, samples: readonly PoolSighting[]) => Promise<SwapSums | undefined>;

export const swapCounter =
  ({ client }: Pick<SolReader, "client">): CountSwaps =>
  async (pool, samples) => {
    const within = (found: readonly PoolSignature[]) => signaturesWithin(samples, found);
    const signatures = await agreedAnswer(client, signaturesCall(pool.pool, { limit: listed }), within);
    const plan = signatures && planCount(samples, signatures);
    if (plan === undefined) return undefined;
    const opened: PoolStep[] = [];
    await forEachConcurrently(plan.opened, { concurrency: openedAtOnce }, async (id) => {
      const step = await agreedAnswer(client, pastTransactionCall(id), (found) => stepIn(pool, found));
      if (step !== undefined) opened.push(step);
    });
    if (opened.length < plan.opened.length) return undefined;
    return sumsOfSteps([...plan.steps, ...opened], decimalsOfCoin);
  };

/** Selects the signatures between the first and the last sample. Undefined if the list does not reach the first one. */
function signaturesWithin(samples: readonly PoolSighting[], found: readonly PoolSignature[]) {
  const [first, last] = [samples[0]?.slot ?? 0, samples.at(-1)?.slot ?? 0];
  if (found.length >= listed && (found.at(-1)?.slot ?? 0) > first) return undefined;
  return found
    .filter(({ slot }) => slot > first && slot <= last)
    .map(({ id, slot, isFailed }): PoolSignature => ({ id, slot, isFailed }))
    .toSorted((a, b) => a.slot - b.slot || (a.id < b.id ? -1 : 1));
}

function stepIn({ venue, accounts }: SolPool, found: PastTransaction | undefined): PoolStep | undefined {
  const amountsIn = (balances: ReadonlyMap<string, Balance>) =>
    sampledVenues[venue].pastAmounts(accounts, (each) => balances.get(each));
  const [before, after] = found ? [amountsIn(found.before), amountsIn(found.after)] : [];
  return before && after && [before, after];
}

/**
 * Asks two hosts, and compares what is seen in their answers. Undefined if one of them does not answer, or if they
 * differ. A single host is trusted.
 */
async function agreedAnswer<Value, Seen>(
  { inOrder }: Pick<SolReader["client"], "inOrder">,
  call: RpcCall<Value>,
  seenIn: (value: Value) => Seen | undefined,
): Promise<Seen | undefined> {
  const answers = await Promise.all(
    inOrder()
      .slice(0, 2)
      .map(async (host) => {
        const values = await unlessHostFails(host.request([call]));
        return values && seenIn(values[0]);
      }),
  );
  const [one, ...others] = answers;
  return others.every((other) => isDeepStrictEqual(one, other)) ? one : undefined;
}
