import { multicall } from "../../chains/evm/calls/multicall.ts";
import { stateQuestion } from "../../chains/evm/calls/pool-state.ts";
import { headIn, headQuestions, withOlderHashes } from "../../chains/evm/looks/head-look.ts";
import type { EvmReader } from "../../chains/evm/venues/reader.ts";
import { firstAnswer, hostsFrom } from "../../chains/hosts/from-any-host.ts";
import type { RpcHost } from "../../chains/hosts/rpc-host.ts";
import { isBehind, type LookMemory } from "../../trading/procedures/reading.ts";
import type { MarketLook, WatchedPool } from "./rules/watched-pool.ts";

/** Notes that are kept between looks at the pools of a chain. */
export type PoolsMemory = LookMemory<MarketLook> & {
  /** Time when the latest block was first seen. */
  newMs?: number;
};

export const newPoolsMemory = (): PoolsMemory => ({ host: 0 });

/**
 * Time without a new block after which a different host is used, because this one may have stopped following the chain.
 */
const mostStillMs = 30_000;

type AskedPool = Pick<WatchedPool, "pool" | "venue">;

/**
 * Looks at the latest block and at the states of pools in it. Undefined if the host shows an older block than the last
 * look. If that lasts ten seconds, the next look uses another host. The answer names its host.
 *
 * @param heights Heights of blocks whose hashes are requested.
 * @throws {ChainUnavailable} if no host answers.
 */
export async function lookAtPools(
  reader: EvmReader,
  memory: PoolsMemory,
  { heights, pools }: { heights: readonly number[]; pools: readonly AskedPool[] },
  nowMs: number,
): Promise<(MarketLook & { host: RpcHost }) | undefined> {
  const { host } = memory;
  const head = headQuestions(heights);
  const call = multicall([...head, ...pools.map(stateQuestion)], "latest");
  const seen = await firstAnswer(reader, hostsFrom(reader, host), async (request, by) => {
    const [answers] = await request([call]);
    const states = answers.slice(head.length) as (bigint | undefined)[];
    const look = { ...headIn(heights, answers.slice(0, head.length)), words: wordsOf(pools, states) };
    return { look, by };
  });
  const { look } = seen;
  if (isBehind(look, memory, nowMs)) return undefined;
  if (look.number !== memory.look?.number) memory.newMs = nowMs;
  if (nowMs - (memory.newMs ?? nowMs) >= mostStillMs) {
    memory.host++;
    memory.newMs = nowMs;
  }
  memory.look = await withOlderHashes(reader, host + 1, heights, look);
  return { ...memory.look, host: seen.by };
}

export const wordsOf = (
  pools: readonly AskedPool[],
  states: readonly (bigint | undefined)[],
): Map<string, bigint> =>
  new Map(
    pools.flatMap(({ pool }, index) => {
      const state = states[index];
      return state === undefined ? [] : [[pool, state] as const];
    }),
  );
