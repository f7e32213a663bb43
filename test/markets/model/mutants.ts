import { compare } from "../../../lib/core/decimal.ts";
import type { ReaderTime } from "../../../lib/markets/core/market-book.ts";
import { searchTokens } from "../../../lib/markets/core/token-search.ts";
import type { HostChoice, MarketHosts } from "../../../lib/markets/evm/rules/look-round.ts";
import type { FoundMarket, FoundPool } from "../../../lib/markets/evm/rules/token-market.ts";
import type { WatchedPool } from "../../../lib/markets/evm/rules/watched-pool.ts";
import { type JournalSystem, theJournalSystem } from "../evm/rules/model/system.ts";
import { type RuleSystem, theRuleSystem } from "./rule-histories.ts";
import { type TokenSystem, theTokenSystem } from "./token-history.ts";
import type { WorldSystem } from "./world.ts";

const { lookRound, takeChangedMinutes, watchPool } = theJournalSystem;
const { chooseReference, TokenMarket } = theTokenSystem;
const { DeliveryWindows, WantedTokens } = theRuleSystem;

/** Changes the hosts' answers before the core sees them. */
const seeing = (change: (hosts: MarketHosts) => Partial<MarketHosts>): Partial<JournalSystem> => ({
  seen: (hosts) => ({
    look: (asked) => hosts.look(asked),
    events: (of, asked) => hosts.events(of, asked),
    headers: (of, asked) => hosts.headers(of, asked),
    states: (of, asked) => hosts.states(of, asked),
    ...change(hosts),
  }),
});

const itself = (of: HostChoice): HostChoice => ("not" in of ? { only: of.not } : of);

/** Accepts the first hash of each height, even after hosts report a different one. */
function oldHashes(hosts: MarketHosts): Partial<MarketHosts> {
  const believed = new Map<number, string>();
  const first = (height: number, hash: string) =>
    believed.get(height) ?? (believed.set(height, hash) && hash);
  return {
    async look(asked) {
      const look = await hosts.look(asked);
      if (look === undefined) return undefined;
      const hashes = new Map([...look.hashes].map(([height, hash]) => [height, first(height, hash)]));
      return { ...look, hashes, parentHash: first(look.number - 1, look.parentHash) };
    },
  };
}

/** Bugs in the code that reads a chain. */
export const journalMutants: Readonly<Record<string, Partial<JournalSystem>>> = {
  "mistakes the parent's hash for the block's own": seeing((hosts) => ({
    async look(asked) {
      const look = await hosts.look(asked);
      return look && { ...look, hashes: new Map(look.hashes).set(look.number, look.parentHash) };
    },
  })),
  "trusts the first hash of each height": seeing(oldHashes),
  "proves minutes by the host that it proves": seeing((hosts) => ({
    events: (of, asked) => hosts.events(itself(of), asked),
    headers: (of, asked) => hosts.headers(itself(of), asked),
  })),
  "does not check the tail of events": {
    async lookRound(journal, hosts, nowMs) {
      const round = await lookRound(journal, hosts, nowMs);
      for (const [pool, book] of journal.books) {
        if (book.unexplained === undefined) continue;
        Object.assign(book, { unexplained: undefined, word: journal.look?.words.get(pool) });
      }
      return round;
    },
  },
  "draws wicks inside blocks": {
    takeChangedMinutes: (book, time: ReaderTime) =>
      takeChangedMinutes(book, time).map((minute) => {
        const within = book.events.filter((event) => event.time - (event.time % 60) === minute.start);
        const prices = within.flatMap(({ price }) => price ?? []);
        return { ...minute, high: [minute.high, ...prices].toSorted(compare).at(-1) ?? minute.high };
      }),
  },
  "swaps the sides of pools": {
    watchPool: (journal, pool: WatchedPool, ...rest) =>
      watchPool(journal, { ...pool, isTokenFirst: !pool.isTokenFirst }, ...rest),
  },
  "keeps minutes whose swaps were taken back": {
    takeChangedMinutes: (book, time) => takeChangedMinutes(book, time).filter(({ trades }) => trades !== 0),
  },
  "forgets what the run before has shown": { addShown: () => {} },
  "does not raise the revision": {
    async lookRound(journal, hosts, nowMs) {
      const { revision } = journal;
      const round = await lookRound(journal, hosts, nowMs);
      journal.revision = revision;
      return round;
    },
  },
};

/** Changes all pools that the market of a token sees. */
const withPools = (change: (pool: FoundPool) => FoundPool): TokenSystem["TokenMarket"] =>
  class extends TokenMarket {
    override find(found: FoundMarket, nowMs: number) {
      super.find({ ...found, pools: found.pools.map(change) }, nowMs);
    }
    override choose(pool: FoundPool | undefined, nowMs: number) {
      super.choose(pool && change(pool), nowMs);
    }
  };

/** Bugs in the choice of a reference pool, and in the market that follows it. */
export const tokenMutants: Readonly<Record<string, Partial<TokenSystem>>> = {
  "changes the reference in mid-minute": {
    TokenMarket: class extends TokenMarket {
      override choose(pool: FoundPool | undefined, nowMs: number) {
        if (pool?.pool !== this.reference?.pool) super.choose(undefined, nowMs);
        super.choose(pool, nowMs);
      }
    },
  },
  "values a sale by the depth of another pool": {
    TokenMarket: class extends TokenMarket {
      override market(...asked: Parameters<InstanceType<typeof TokenMarket>["market"]>) {
        const market = super.market(...asked);
        const [deepest] = this.pools.toSorted((a, b) => compare(b.depth, a.depth));
        return market.pool && deepest
          ? { ...market, pool: { ...market.pool, depth: deepest.depth } }
          : market;
      }
    },
  },
  "follows the deepest pool at once": {
    chooseReference: (_, pools, nowMs) => chooseReference({ pool: undefined, rivals: {} }, pools, nowMs),
  },
  "waits again after each measurement": {
    chooseReference: (before, pools, nowMs) => chooseReference({ ...before, rivals: {} }, pools, nowMs),
  },
  "prices a token by a pool without depth": {
    chooseReference: (before, pools, nowMs) => {
      const pool = before.pool ?? pools[0]?.pool;
      const choice = chooseReference(before, pools, nowMs);
      return { ...choice, pool: choice.pool ?? pool };
    },
  },
  "adds volumes in two quotes": { TokenMarket: withPools((pool) => ({ ...pool, quote: "native" })) },
};

type Grant = InstanceType<typeof WantedTokens>["grant"];

const granting = (grant: (original: Grant, ...asked: Parameters<Grant>) => ReturnType<Grant>) => ({
  WantedTokens: class extends WantedTokens {
    override grant(...asked: Parameters<Grant>) {
      return grant((...others) => super.grant(...others), ...asked);
    }
  },
});

/** Bugs in the table, or in the conditions of its writes. */
export const worldMutants: Readonly<Record<string, WorldSystem>> = {
  "lets a run write that another one has followed": { isStale: () => false },
};

/** Bugs in rules that need no chain. */
export const ruleMutants: Readonly<Record<string, Partial<RuleSystem>>> = {
  "reads all tokens that users wish": granting((_, wishes) => {
    const wished = [...wishes].flatMap(({ tokens }) => tokens.map((name) => ({ ...name, wantedMs: 0 })));
    return { wanted: wished.map((name) => ({ ...name, isHeld: false, users: [] })), refused: new Map() };
  }),
  "counts tokens of open positions as new": granting((grant, wishes, rules, nowMs) =>
    grant(wishes, { ...rules, heldBy: () => new Set() }, nowMs),
  ),
  "forgets which tokens were new": granting((_, ...asked) => new WantedTokens().grant(...asked)),
  "moves a window before its delivery arrives": {
    DeliveryWindows: class extends DeliveryWindows {
      override dueAt(atMs: number) {
        const due = super.dueAt(atMs);
        super.delivered(due, atMs);
        return due;
      }
    },
  },
  "gives a new connection only changes": {
    DeliveryWindows: class extends DeliveryWindows {
      override addConnections() {}
    },
  },
  "repeats nothing, as if no message were lost": {
    DeliveryWindows: class extends DeliveryWindows {
      override dueAt(atMs: number) {
        const { fast, slow, ...due } = super.dueAt(atMs);
        return { ...due, fast: { ...fast, least: "heads" }, slow: { ...slow, least: "heads" } } as const;
      }
    },
  },
  "sends no heads while nothing changes": {
    DeliveryWindows: class extends DeliveryWindows {
      override dueAt(atMs: number) {
        const { fast, slow, ...due } = super.dueAt(atMs);
        return { ...due, fast: { ...fast, least: "changes" }, slow: { ...slow, least: "changes" } } as const;
      }
    },
  },
  "finds new and shallow tokens": {
    searchTokens: (wanted, { others, ...rest }, nowMs) =>
      searchTokens(
        wanted,
        { ...rest, others: others.map((each) => ({ ...each, depthUsd: 1e9, firstSeen: 0 })) },
        nowMs,
      ),
  },
  "flags no imitations": {
    searchTokens: (...asked) => searchTokens(...asked).map((found) => ({ ...found, isImitation: false })),
  },
};
