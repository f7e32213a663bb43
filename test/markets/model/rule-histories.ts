import { DeliveryWindows } from "../../../lib/markets/core/delivery-windows.ts";
import type { TokenName } from "../../../lib/markets/core/market.ts";
import { composer } from "../../../lib/markets/core/market-delivery.ts";
import { type IndexedToken, searchTokens } from "../../../lib/markets/core/token-search.ts";
import { WantedTokens, type WishRules } from "../../../lib/markets/core/wanted-tokens.ts";
import { type Chance, createChance } from "../../soak/chance.ts";

export type RuleSystem = {
  WantedTokens: typeof WantedTokens;
  DeliveryWindows: typeof DeliveryWindows;
  searchTokens: typeof searchTokens;
};

export const theRuleSystem: RuleSystem = { WantedTokens, DeliveryWindows, searchTokens };

/** Plays one history of each rule that needs no chain. Throws if a rule is broken. */
export function playRules(seed: number, system = theRuleSystem): void {
  for (const play of [playWishes, playDeliveries, playSearch]) {
    const problem = play(createChance(`rules ${seed}`), system);
    if (problem !== undefined) throw new Error(`History ${seed}: ${problem}`);
  }
}

const named = (token: string): TokenName => ({ chain: "base", token });
const some = (count: number, prefix: string) => Array.from({ length: count }, (_, at) => `${prefix}${at}`);

/** Lets users want more and more tokens: ordinary tokens of their own, listed tokens, and tokens of open positions. */
function playWishes(chance: Chance, system: RuleSystem): string | undefined {
  const rules: WishRules = {
    isListed: ({ token }) => token.startsWith("listed"),
    heldBy: (userID) => ({ has: (name) => name.startsWith(`base held by ${userID}`) }),
  };
  const isProtected = (token: string) => /^(?:listed|held)/.test(token);
  const tokens = new system.WantedTokens();
  tokens.grant([], rules, 0);
  const wishes = new Map(some(5, "user").map((userID) => [userID, [] as string[]]));
  const begun = new Map<string, number[]>();
  let before = new Set<string>();
  for (let second = 10; second < 600; second += 1 + chance.below(20)) {
    for (const [userID, own] of wishes) {
      const count = chance.pick([0, 0, 5, 25]);
      own.push(...some(count, `of ${userID} at ${second}, `));
      if (own.length > 70) own.splice(0, own.length);
      if (own.length === 0) own.push(...some(4, "listed"), ...some(30, `held by ${userID}, `));
    }
    const all = [...wishes].flatMap(([userID, own]) =>
      [0, 20, 40, 60].map((from) => ({
        userID,
        wantedMs: 0,
        tokens: own.slice(from, from + 20).map(named),
      })),
    );
    const { wanted } = tokens.grant(all, rules, second * 1000);
    const read = new Set(wanted.map(({ token }) => token));
    const others = [...read].filter((token) => !isProtected(token));
    if (read.size > 300 || others.length > 150) return "a chain has too many tokens";
    for (const [userID, own] of wishes) {
      const mine = own.filter((token) => read.has(token));
      if (mine.length > 50) return "a user has too many tokens";
      if (own.some((token) => isProtected(token) && !read.has(token))) return "a protected token is not read";
      const recent = (begun.get(userID) ?? []).filter((at) => second - at < 60);
      const news = mine.filter((token) => !isProtected(token) && !before.has(token));
      begun.set(userID, [...recent, ...news.map(() => second)]);
      if (recent.length + news.length > 20) return "a user has too many new tokens";
      const isFull = read.size >= 150 || own.length > 50;
      if (!isFull && own.some((token) => before.has(token) && !read.has(token)))
        return "a token that was read is refused";
    }
    before = read;
  }
  return undefined;
}

/** Longest times until each connection gets a message, and until it gets all data. */
const quietMs = { message: 16_000, everything: 36_000 };

/** Changes tokens and subscriptions while deliveries fail and messages are lost. The history ends with a quiet time. */
function playDeliveries(chance: Chance, system: RuleSystem): string | undefined {
  const names = some(4, "t");
  const windows = new system.DeliveryWindows();
  const blocks = new Map(names.map((token) => [token, { block: 1, changedAtMs: 0 }]));
  const clients = some(4, "c").map((connectionId, at) => ({
    connectionId,
    every: at < 2 ? (1 as const) : (5 as const),
    isNew: true,
    lastMs: 0,
    tokens: [named("t0")],
    blocks: new Map<string, number>(),
  }));
  const change = (client: (typeof clients)[number], nowMs: number) => {
    client.tokens = names.filter(() => chance.below(2) === 0).map(named);
    client.isNew = true;
    windows.addConnections([client.connectionId], nowMs);
  };
  for (const client of clients) change(client, 500);
  const faultySeconds = 100;
  const heads = { base: { block: 1, time: "" } };
  for (let second = 1; second < faultySeconds + quietMs.everything / 1000; second++) {
    const atMs = second * 1000;
    const isFaulty = second < faultySeconds;
    if (isFaulty && chance.below(10) === 0) change(chance.pick(clients), atMs - 100);
    for (const token of names)
      if (isFaulty && chance.below(8) === 0)
        blocks.set(token, { block: second, changedAtMs: atMs - chance.below(900) });
    const due = windows.dueAt(atMs);
    if (isFaulty && chance.below(4) === 0) continue;
    const records = names.map((token) => {
      const { block, changedAtMs } = blocks.get(token) ?? { block: 0, changedAtMs: 0 };
      return { record: { ...named(token), flags: [], revision: 0, block, asOf: "" }, changedAtMs };
    });
    const messageFor = composer({ atMs, heads, coins: [], records, ...due });
    for (const client of clients) {
      const message = messageFor(client);
      if (message === undefined) continue;
      const { isNew } = client;
      client.isNew = false;
      // A later repair makes up for a lost message.
      if (isFaulty && chance.below(20) === 0) continue;
      client.lastMs = atMs;
      for (const { record } of message.records) client.blocks.set(record.token, record.block);
      if (isNew && client.tokens.some(({ token }) => !client.blocks.has(token)))
        return "a connection got no snapshot first";
    }
    windows.delivered(due, atMs);
    const isLate = ({ tokens, lastMs }: (typeof clients)[number]) =>
      tokens.length > 0 && atMs - lastMs > quietMs.message;
    if (second > faultySeconds + quietMs.message / 1000 && clients.some(isLate))
      return "a connection got no heads";
  }
  const isOld = ({ tokens, blocks: own }: (typeof clients)[number]) =>
    tokens.some(({ token }) => own.get(token) !== blocks.get(token)?.block);
  return clients.some(isOld) ? "a connection has an old record" : undefined;
}

const nowSeconds = 1_795_780_800;

/** Searches many tokens with similar names, some of them new, shallow or imitations of a listed one. */
function playSearch(chance: Chance, system: RuleSystem): string | undefined {
  const token = (name: string, symbol: string) => ({ ...named(name), symbol, name: symbol, decimals: 18 });
  const listed = [token("listed", "MOON")];
  const own = [token("own", "MOONY")];
  const others: IndexedToken[] = some(30, "0x").map((name) => ({
    ...token(name, chance.pick(["MOONX", "MOON!", "SUN"])),
    depthUsd: chance.pick([9999, 10_000, 50_000]),
    firstSeen: nowSeconds - chance.pick([3600, 86_399, 86_400, 864_000]),
  }));
  const found = system.searchTokens("moon", { listed, own, others, made: [] }, nowSeconds * 1000);
  if (found[0]?.token !== "listed" || found[1]?.token !== "own") return "others come first";
  if (found.length > 20) return "too many are found";
  const isUnfit = ({ depthUsd, firstSeen }: IndexedToken) =>
    depthUsd < 10_000 || nowSeconds - firstSeen < 86_400;
  const unfit = new Set(others.filter(isUnfit).map((other) => other.token));
  if (found.some((each) => unfit.has(each.token))) return "a new or shallow token is found";
  return found.some(({ symbol, isImitation }) => symbol === "MOON!" && !isImitation)
    ? "an imitation is not flagged"
    : undefined;
}
