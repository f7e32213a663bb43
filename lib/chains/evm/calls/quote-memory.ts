import { createHash } from "node:crypto";
import { chainFacts, type EvmChain } from "../../../core/chain-facts.ts";
import { RecentMap } from "../../../core/recent-map.ts";
import type { Block } from "../../../orders/block.ts";
import type { Ask } from "../../hosts/ask-together.ts";
import { askHost, type HostGroup, readFrom } from "../../hosts/host-group.ts";
import type { RpcCall, ValuesOf } from "../../hosts/rpc-call.ts";
import type { RpcHost } from "../../hosts/rpc-host.ts";
import { mostApartSeconds } from "../rules/host-lag.ts";
import { commonBlock } from "./hosts.ts";
import { blockCall } from "./rpc-call.ts";

/** Time limit for two hosts to name a block, because a user waits for the quote. */
const nameWithinMs = 500;

/**
 * Pause after hosts have named no common block, or after the first host asked has failed. Meanwhile, quotes ask one host
 * for everything.
 */
const restMs = 10_000;

/** Age at which all values are forgotten, even if the chain stands still. */
const mostAgeMs = 60_000;

/** Maximum number of values of a block. The largest are those of all pools of a token, with about 20 kB. */
const mostValues = 200;

/** Shortest time between blocks for which remembering is worthwhile: in less, a container sees few equal quotes. */
const leastBlockSeconds = 2;

/** Maximum number of tokens whose recent quotes are counted. */
const mostTokens = 1000;

/** A host's answer. Only its digest is kept until another host confirms it. */
type Sighting = { host: RpcHost; digest: string };

type Remembered = { sightings: readonly Sighting[] } | { value: unknown; agreedMs: number };

/** Values at one block. */
type Page = {
  block: Block;
  sinceMs: number;
  /** The hosts that named the block, and when each was last asked for it. The one asked longest ago comes first. */
  named: readonly { host: RpcHost; ms: number }[];
  values: RecentMap<string, Remembered>;
};

/** Reads a chain at the newest block that two hosts name. */
export type QuoteMemory = {
  /**
   * Expects a call for each quote of a token. Undefined if two hosts do not name the same block, or if that would not
   * pay: the chain's blocks come too fast, or the token has had fewer than two quotes in the time of a block.
   */
  atNamedBlock(token: string): Promise<{ number: number; ask: Ask } | undefined>;
};

/**
 * Remembers answers about tokens and pools, for the quotes of all users. Orders do not use it.
 *
 * A call is answered from memory only if two hosts have given equal answers to it at a block, and have both named this
 * block again since. So a host that lies, or that replaces a block, can only prevent that something is remembered. A
 * host that names blocks but answers nothing else delays a quote, then the memory rests.
 * Everything else, such as a wallet's balances, is asked for each time.
 */
export function quoteMemory(
  chain: EvmChain,
  { hosts, inOrder }: Pick<HostGroup, "hosts" | "inOrder">,
  nowMs: () => number = Date.now,
): QuoteMemory {
  const needed = Math.min(2, hosts.length);
  const { blockSeconds } = chainFacts[chain];
  const quotedMs = new RecentMap<string, readonly number[]>(mostTokens);
  let page: Page | undefined;
  let restUntilMs = Number.NEGATIVE_INFINITY;

  const isResting = () => nowMs() < restUntilMs;

  /** Leaves the hosts' order to the group, which knows the ones that fail. */
  function rest(): void {
    restUntilMs = nowMs() + restMs;
    page = undefined;
  }

  async function blockOf(host: RpcHost, tag: number | "latest", signal: AbortSignal) {
    const answer = await askHost(host, [blockCall(tag)], signal);
    return "values" in answer ? answer.values[0] : undefined;
  }

  /** Asks two hosts for their newest blocks, and the one that is ahead for the other's block. */
  async function namedBlock(asked: readonly RpcHost[], signal: AbortSignal): Promise<Block | undefined> {
    const ask = (host: RpcHost, tag: number | "latest") => blockOf(host, tag, signal);
    const heads = (await Promise.all(asked.map((host) => ask(host, "latest")))).filter(
      (head) => head !== undefined,
    );
    const common = heads.length < needed ? undefined : commonBlock(heads, mostApartSeconds(chain), needed);
    if (common === undefined) return undefined;
    const named = await Promise.all(
      heads.map((head, index) =>
        head.number === common.number ? head : ask(asked[index] as RpcHost, common.number),
      ),
    );
    return named.every((block) => block?.hash === common.hash) ? common : undefined;
  }

  /** Asks the hosts for the newest block. While they name the same one, they are asked in turn. */
  async function look(): Promise<Page | undefined> {
    const startMs = nowMs();
    const signal = AbortSignal.timeout(nameWithinMs);
    const at = page;
    const [oldest, ...others] = at?.named ?? [];
    if (at && oldest && startMs - at.sinceMs < mostAgeMs) {
      const block = await blockOf(oldest.host, "latest", signal);
      if (block && isSame(block, at.block)) {
        const confirmed = { ...at, named: [...others, { host: oldest.host, ms: startMs }] };
        // Another look may have replaced the page in the meantime.
        if (page === at) page = confirmed;
        return confirmed;
      }
    }
    const asked = inOrder().slice(0, needed);
    const block = await namedBlock(asked, signal);
    if (block === undefined) restUntilMs = startMs + restMs;
    const named = asked.map((host) => ({ host, ms: startMs }));
    const isOld = page === undefined || startMs - page.sinceMs >= mostAgeMs;
    if (block && page && !isOld && isSame(block, page.block)) page = { ...page, named };
    else page = block && { block, sinceMs: startMs, named, values: new RecentMap(mostValues) };
    return page;
  }

  /** Counts a quote of a token. True if this many came in the time of a block that the next one may come from memory. */
  function isPopular(token: string): boolean {
    const sinceMs = nowMs() - blockSeconds * 1000;
    const recent = (quotedMs.get(token) ?? []).filter((ms) => ms > sinceMs);
    quotedMs.set(token, [...recent.slice(-1), nowMs()]);
    return recent.length >= needed;
  }

  function note({ values }: Page, name: string, host: RpcHost, value: unknown): void {
    const known = values.get(name);
    if (known && "value" in known) return;
    const digest = digestOf(value);
    const others = (known?.sightings ?? []).filter((each) => each.host !== host);
    const isAgreed = needed === 1 || others.some((each) => each.digest === digest);
    values.set(name, isAgreed ? { value, agreedMs: nowMs() } : { sightings: [...others, { host, digest }] });
  }

  /** Asks the host that has answered the fewest of these questions, so that it can confirm the other's answers. */
  function hostsFor(at: Page, names: readonly (string | undefined)[]): RpcHost[] {
    const named = at.named.map(({ host }) => host);
    const seenBy = (host: RpcHost) =>
      names.filter((name) => {
        const known = name === undefined ? undefined : at.values.get(name);
        return known && "sightings" in known && known.sightings.some((each) => each.host === host);
      }).length;
    const counts = new Map(named.map((host) => [host, seenBy(host)]));
    const first = named.toSorted((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0));
    return [...first, ...inOrder().filter((host) => !named.includes(host))];
  }

  /** Makes a function that answers from a page as it is now, and asks hosts for the rest. */
  const askingAt =
    (at: Page): Ask =>
    async (calls) => {
      const names = calls.map(({ shared }) => shared && digestOf(shared()));
      const known = names.map((name) => {
        const found = name === undefined ? undefined : at.values.get(name);
        const isAgreed = found && "value" in found && at.named.every(({ ms }) => found.agreedMs < ms);
        return isAgreed ? found : undefined;
      });
      const isAsked = (_: unknown, index: number) => known[index] === undefined;
      const missing = calls.filter(isAsked);
      const missingNames = names.filter(isAsked);
      const values: unknown[] = [];
      if (missing.length > 0) {
        const order = isResting() ? inOrder() : hostsFor(at, missingNames);
        const answer = await readFrom(chain, order, missing);
        if (answer.host !== order[0]) rest();
        values.push(...answer.values);
        for (const [index, name] of missingNames.entries())
          if (name !== undefined) note(at, name, answer.host, values[index]);
      }
      const merged = known.map((found) => (found ? found.value : values.shift()));
      return merged as ValuesOf<typeof calls>;
    };

  return {
    async atNamedBlock(token) {
      if (blockSeconds < leastBlockSeconds || !isPopular(token) || isResting()) return undefined;
      const named = await look();
      return named && { number: named.block.number, ask: askingAt(named) };
    },
  };
}

/**
 * Marks a call whose value is the same for all users.
 *
 * @param name Everything on which the value depends, including the number of the block. By default, the parameters.
 */
export const shared = <Value>(
  call: RpcCall<Value>,
  name: unknown = [call.method, call.params],
): RpcCall<Value> => ({ ...call, shared: () => name });

const isSame = (one: Block, other: Block) => one.number === other.number && one.hash === other.hash;

/** Digests plain data. Throws for anything that JSON would not show in full. */
const digestOf = (value: unknown): string =>
  createHash("sha256")
    .update(
      JSON.stringify(value, (_, each) => {
        if (typeof each === "bigint") return `${each}n`;
        if (typeof each === "function" || each instanceof Map || each instanceof Set)
          throw new TypeError("Only plain data can be remembered");
        return each;
      }) ?? "undefined",
    )
    .digest("base64");
