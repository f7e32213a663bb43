import { blockCall, hashAgainCall } from "../../chains/evm/calls/rpc-call.ts";
import type { EvmReader } from "../../chains/evm/venues/reader.ts";
import { askInParts } from "../../chains/hosts/ask-in-parts.ts";
import type { Ask } from "../../chains/hosts/ask-together.ts";
import { firstAnswer } from "../../chains/hosts/from-any-host.ts";
import { HostFault, RequestRefused, RpcRefusal } from "../../chains/hosts/host-fault.ts";
import type { RpcHost } from "../../chains/hosts/rpc-host.ts";
import { inPartsOf } from "../../core/in-parts.ts";
import { eventsCall } from "./events-call.ts";
import type { PoolEvent, WatchedPool } from "./rules/watched-pool.ts";

/** A range of blocks, including both ends. */
export type BlockRange = { from: number; to: number };

/** Events of pools, in the order of the chain. */
export type EventsRead = {
  events: readonly PoolEvent[];
  /** Addresses of pools with too many events to read all of them. */
  unread: ReadonlySet<string>;
  /** The host that returned the events. */
  host: RpcHost;
};

export type EventsAsked = BlockRange & {
  pools: readonly WatchedPool[];
  /** Hosts to ask, in this order. The default is all hosts, starting with those that have not failed recently. */
  hosts?: readonly RpcHost[];
  /** Time after which no request begins. */
  untilMs?: number;
  /** True if a host must prove that it has the last block, because a host that lags silently returns fewer events. */
  needsLast?: boolean;
};

/** Maximum number of requests for one range. A range that needs more has too many events. */
const mostCalls = 40;

/**
 * Reads all events of pools in a range of blocks from one host.
 *
 * @throws {ChainUnavailable} if no host answers.
 */
export function readEvents(reader: EvmReader, asked: EventsAsked): Promise<EventsRead> {
  const { pools, hosts = reader.client.inOrder(), untilMs, needsLast = false, ...range } = asked;
  return firstAnswer(reader, hosts, async (request, host) => {
    const reading = new EventReading(request, host, { calls: mostCalls, untilMs });
    const { events, unread } = await reading.read(pools, range);
    if (needsLast) await reading.checkLast(range.to);
    return { events, unread, host };
  });
}

/** Number of blocks in a request. Many hosts do not allow more. */
const usualBlocks = 10_000;

/** A host's limits for a request. */
type Allowance = { blocks: number; pools: number };

/** Time after which a host's limits are forgotten. */
const memoryMs = 10 * 60_000;

const allowances = new WeakMap<RpcHost, Allowance & { untilMs: number }>();

function allowedBy(host: RpcHost): Allowance {
  const known = allowances.get(host);
  const usual = { blocks: usualBlocks, pools: Number.POSITIVE_INFINITY };
  return known !== undefined && Date.now() < known.untilMs ? known : usual;
}

/** Reads events from one host, in requests as large as it accepts. */
export class EventReading {
  readonly #ask: Ask;
  readonly #host: RpcHost;
  readonly #untilMs: number;
  #callsLeft: number;
  #blocks: number;

  constructor(ask: Ask, host: RpcHost, limits: { calls: number; untilMs?: number | undefined }) {
    this.#ask = ask;
    this.#host = host;
    this.#untilMs = limits.untilMs ?? Number.POSITIVE_INFINITY;
    this.#callsLeft = limits.calls;
    this.#blocks = allowedBy(host).blocks;
  }

  /** True if no further request may begin. */
  get isOver(): boolean {
    return this.#callsLeft <= 0 || Date.now() >= this.#untilMs;
  }

  /** Number of blocks for the next request. */
  get blocks(): number {
    return this.#blocks;
  }

  /**
   * Reads a range, starting with its first block. If a single block has too many events, asks for the events of each
   * pool separately.
   */
  async read(pools: readonly WatchedPool[], { from, to }: BlockRange): Promise<Omit<EventsRead, "host">> {
    const most = allowedBy(this.#host).pools;
    if (pools.length > most) return this.#readEach(inPartsOf(most, pools), { from, to });
    const parts: Omit<EventsRead, "host">[] = [];
    for (let next = from; next <= to && pools.length > 0; ) {
      if (this.isOver) {
        parts.push(unreadOf(pools));
        break;
      }
      const part = { from: next, to: Math.min(to, next + this.#blocks - 1) };
      const found = await this.readPart(pools, part);
      if (found === "too many pools") {
        parts.push(await this.read(pools, { from: next, to }));
        break;
      }
      if (found === "too many" && part.from < part.to) continue;
      if (found !== "too many") parts.push({ events: found, unread: new Set() });
      else if (pools.length === 1) parts.push(unreadOf(pools));
      else parts.push(await this.#readEach(inPartsOf(Math.ceil(pools.length / 2), pools), part));
      next = part.to + 1;
    }
    return joined(parts);
  }

  async #readEach(groups: readonly WatchedPool[][], range: BlockRange): Promise<Omit<EventsRead, "host">> {
    const parts: Omit<EventsRead, "host">[] = [];
    for (const group of groups) parts.push(await this.read(group, range));
    return joined(parts);
  }

  /** @throws {HostFault} if the host lacks a block */
  async checkLast(number: number): Promise<void> {
    this.#callsLeft--;
    const [hash] = await this.#ask([hashAgainCall(number)]);
    if (hash === undefined) throw new HostFault("BAD_RESULT", "eth_getLogs");
  }

  /** Makes one request. If the answer is too large, the next request should be for fewer blocks or pools. */
  async readPart(
    pools: readonly WatchedPool[],
    part: BlockRange,
  ): Promise<PoolEvent[] | "too many" | "too many pools"> {
    const count = part.to - part.from + 1;
    this.#callsLeft--;
    try {
      const [events] = await this.#ask([eventsCall(pools, part)]);
      const timed = await this.#withTimes(events);
      if (count === this.#blocks) this.#blocks = Math.min(2 * this.#blocks, allowedBy(this.#host).blocks);
      return timed;
    } catch (error) {
      const tooMany = whyTooMuch(error, count);
      if (tooMany === "pools" && pools.length > 1) {
        this.#allow({ pools: Math.floor(pools.length / 2) });
        return "too many pools";
      }
      if (tooMany === undefined || tooMany === "pools" || (tooMany === "blocks" && count === 1)) throw error;
      this.#blocks = Math.max(1, Math.floor(count / 2));
      if (tooMany === "blocks") {
        this.#blocks = limitIn(error, count) ?? this.#blocks;
        this.#allow({ blocks: this.#blocks });
      }
      return "too many";
    }
  }

  #allow(limit: Partial<Allowance>): void {
    const known = allowedBy(this.#host);
    allowances.set(this.#host, { ...known, ...limit, untilMs: Date.now() + memoryMs });
  }

  /** Takes times that the host left out from the block headers. */
  async #withTimes(events: readonly PoolEvent[]): Promise<PoolEvent[]> {
    const hashes = new Map(
      events.flatMap(({ block, blockHash, time }) => (time === 0 ? [[block, blockHash] as const] : [])),
    );
    if (hashes.size === 0) return [...events];
    this.#callsLeft -= Math.ceil(hashes.size / headersPerRequest);
    const blocks = await askInParts(this.#ask, [...hashes.keys()], blockCall, headersPerRequest);
    // A mismatch means that a reorganisation happened between the requests, or that the host's nodes disagree.
    if (blocks.some(({ number, hash }) => hashes.get(number) !== hash))
      throw new HostFault("BAD_RESULT", "eth_getBlockByNumber");
    const times = new Map(blocks.map(({ number, time }) => [number, time]));
    return events.map((event) => ({ ...event, time: times.get(event.block) ?? event.time }));
  }
}

/** Maximum number of headers in a request, because hosts limit the number of calls in a batch. */
const headersPerRequest = 100;

const unreadOf = (pools: readonly WatchedPool[]) => ({
  events: [],
  unread: new Set(pools.map(({ pool }) => pool)),
});

/** @throws {HostFault} if a reorganisation happened between two requests */
function joined(parts: readonly Omit<EventsRead, "host">[]): Omit<EventsRead, "host"> {
  const events = parts.flatMap((part) => part.events).toSorted(inPlace);
  if (events.some((event, index) => isTorn(events[index - 1], event)))
    throw new HostFault("BAD_RESULT", "eth_getLogs");
  return { events, unread: new Set(parts.flatMap(({ unread }) => [...unread])) };
}

const inPlace = (a: PoolEvent, b: PoolEvent): number => a.block - b.block || a.logIndex - b.logIndex;

const isTorn = (before: PoolEvent | undefined, { block, blockHash }: PoolEvent): boolean =>
  before?.block === block && before.blockHash !== blockHash;

/** Messages about too many addresses. */
const poolWords = /addresses/i;

/**
 * Messages about too many events, and about ranges with too many blocks. Some messages name both, to explain why there
 * are too many events.
 */
const sizeWords = /results?\b|logs\b.*\bsize|response|timeout|timed out/i;
const rangeWords = /range|blocks/i;

/** Messages of hosts that are too busy or have not reached the last block. */
const laterWords =
  /rate limit|too many requests|request count|capacity|per second|compute units|beyond|invalid block range/i;

/** The range of blocks that a host allows in a request. */
const limitPattern = /(?:limited to|max\w*|up to|over|than)\D{0,60}?([\d,]{1,9})\b/i;

/**
 * Reads the maximum number of blocks that a host's message names. Undefined if it is not below the requested number.
 */
function limitIn(error: unknown, blocks: number): number | undefined {
  const isWorded = error instanceof RpcRefusal || error instanceof RequestRefused;
  const named = isWorded ? error.numberIn(limitPattern) : undefined;
  return named !== undefined && named > 0 && named < blocks ? named : undefined;
}

/** Number of blocks in a range that may take a host too long. */
const wideBlocks = 100;

/** Determines which part of a request was too large, so that a smaller request may succeed. */
function whyTooMuch(error: unknown, blocks: number): "pools" | "blocks" | "events" | undefined {
  const isWorded = error instanceof RpcRefusal || error instanceof RequestRefused;
  if (isWorded && !error.says(laterWords)) {
    if (error.says(poolWords)) return "pools";
    if (error.says(sizeWords)) return "events";
    if (error.says(rangeWords)) return "blocks";
  }
  const isSlow = error instanceof HostFault && ["TIMEOUT", "BAD_STATUS", "BROKEN_OFF"].includes(error.code);
  return isSlow && blocks > wideBlocks ? "events" : undefined;
}
