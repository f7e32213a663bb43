import { blockCall } from "../../chains/evm/calls/rpc-call.ts";
import type { EvmReader } from "../../chains/evm/venues/reader.ts";
import type { Ask } from "../../chains/hosts/ask-together.ts";
import { firstAnswer } from "../../chains/hosts/from-any-host.ts";
import { ChainUnavailable } from "../../chains/hosts/host-fault.ts";
import type { RpcHost } from "../../chains/hosts/rpc-host.ts";
import { chainFacts } from "../../core/chain-facts.ts";
import type { Block } from "../../orders/block.ts";
import { refusesEvents } from "./events-call.ts";
import { type BlockRange, EventReading } from "./read-events.ts";
import type { PoolEvent, WatchedPool } from "./rules/watched-pool.ts";

export type HistoryAsked = {
  /** The last block to read. */
  to: number;
  /** Time from which events are requested, in epoch seconds. */
  since: number;
  /** Time after which no request begins. */
  untilMs?: number;
};

/** Events of a pool up to a block, in the order of the chain. */
export type History = {
  events: readonly PoolEvent[];
  /** False if events between the requested time and the first event may be missing. */
  isComplete: boolean;
};

/** Maximum number of requests for a whole history. */
export const mostHistoryCalls = 60;

/**
 * Reads the events of a pool backwards from a block. If a host fails midway, the next one continues. Returns no events
 * if all hosts refuse such requests.
 *
 * @throws {ChainUnavailable} if no host answers, but one may do so later.
 */
export async function readHistory(
  reader: EvmReader,
  pool: WatchedPool,
  { to, since, untilMs }: HistoryAsked,
): Promise<History> {
  const parts: (readonly PoolEvent[])[] = [];
  let callsLeft = mostHistoryCalls;
  let next = to;
  let first: number | undefined;
  const hosts = reader.client.inOrder();
  let refusals = 0;
  const read = async (request: Ask, host: RpcHost) => {
    const counted: Ask = (calls) => {
      callsLeft--;
      return request(calls);
    };
    first ??= await blockBefore(counted, reader, to, since);
    const reading = new EventReading(counted, host, { calls: callsLeft, untilMs });
    while (next >= first && !reading.isOver) {
      const part: BlockRange = { from: Math.max(first, next - reading.blocks + 1), to: next };
      const events = await reading.readPart([pool], part).catch((error: unknown) => {
        if (refusesEvents(error)) refusals++;
        throw error;
      });
      if (events === "too many" && part.from < part.to) continue;
      if (typeof events === "string") return;
      parts.push(events);
      const [oldest] = events;
      next = oldest !== undefined && oldest.time < since ? first - 1 : part.from - 1;
    }
  };
  try {
    await firstAnswer(reader, hosts, read);
  } catch (error) {
    const isLasting = parts.length > 0 || refusals === hosts.length;
    if (!(error instanceof ChainUnavailable) || !isLasting) throw error;
  }
  const events = parts.toReversed().flat();
  return {
    events: events.filter(({ time }) => time >= since),
    isComplete: first !== undefined && next < first,
  };
}

/** Maximum number of seconds by which the block found may be older than the requested time. */
const nearSeconds = 600;

/** Maximum number of headers to request when searching for a block by its time. */
const mostGuesses = 5;

/**
 * Finds a block slightly older than a time: estimates it from the usual time between blocks, and corrects the estimate
 * by the headers of blocks.
 */
async function blockBefore(ask: Ask, { chain }: EvmReader, to: number, since: number): Promise<number> {
  const [last] = await ask([blockCall(to)]);
  if (last.time < since) return to + 1;
  let after: Pick<Block, "number" | "time"> = last;
  let seconds = chainFacts[chain].blockSeconds;
  let oldest = -1;
  for (let guesses = 0; guesses < mostGuesses && after.number > 0; guesses++) {
    // Goes back a tenth further than estimated, because a block that is too new is useless.
    const blocks = Math.ceil(((after.time - since) * 1.1) / seconds) + 1;
    const number = Math.max(0, after.number - blocks);
    if (number <= oldest) break;
    const [found] = await ask([blockCall(number)]);
    if (found.time <= since) {
      oldest = number;
      if (since - found.time <= nearSeconds) break;
    } else after = found;
    seconds = Math.max(0.01, (last.time - found.time) / (last.number - number));
  }
  return Math.max(0, oldest);
}
