import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nameOf, type TokenName } from "../../../lib/markets/core/market.ts";
import { WantedTokens, type Wish, type WishRules } from "../../../lib/markets/core/wanted-tokens.ts";

const named = (token: string): TokenName => ({ chain: "base", token });
const some = (count: number, prefix = "t") =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

const wish = (userID: string, tokens: readonly string[], wantedMs = 0): Wish => ({
  userID,
  tokens: tokens.map(named),
  wantedMs,
});

/** Returns a user's wishes on several connections. */
const wishes = (userID: string, tokens: readonly string[]): Wish[] =>
  Array.from({ length: Math.ceil(tokens.length / 20) }, (_, index) =>
    wish(userID, tokens.slice(20 * index, 20 * index + 20)),
  );

const nothing = new Set<string>();
const anything: WishRules = { isListed: () => false, heldBy: () => nothing };

/** Returns the names of tokens on base in which a user has open positions. */
const holding = (tokens: readonly string[]) => new Set(tokens.map(named).map(nameOf));

function granted(tokens: WantedTokens, all: readonly Wish[], nowMs = 0, rules = anything) {
  const { wanted, refused } = tokens.grant(all, rules, nowMs);
  const names = new Set([...refused.values()].flat().map(({ token }) => token));
  return { wanted: wanted.map(({ token }) => token), refused: [...names] };
}

/** Returns the wanted tokens of a run that has already granted some. */
function running(): WantedTokens {
  const tokens = new WantedTokens();
  tokens.grant([], anything, 0);
  return tokens;
}

describe("WantedTokens", () => {
  it("reads each token once for all users, and never reads coins", () => {
    const { wanted, refused } = new WantedTokens().grant(
      [
        wish("ann", ["a", "b", "native"], 5),
        wish("bob", ["b"], 9),
        { ...wish("bob", ["b"], 7), tokens: [{ chain: "eth", token: "b" }] },
      ],
      { ...anything, heldBy: (userID) => (userID === "bob" ? new Set(["base b", "eth b"]) : nothing) },
      10,
    );
    expect(wanted.map(({ users, ...each }) => ({ ...each, users: [...users] }))).toEqual([
      { chain: "base", token: "b", wantedMs: 9, isHeld: true, users: ["ann", "bob"] },
      { chain: "eth", token: "b", wantedMs: 7, isHeld: true, users: ["bob"] },
      { chain: "base", token: "a", wantedMs: 5, isHeld: false, users: ["ann"] },
    ]);
    expect(refused).toEqual(new Map());
  });

  it("counts at most 40 tokens of a connection, which may just have left 20, and at most 50 of a user", () => {
    expect(granted(new WantedTokens(), [wish("ann", some(41))]).wanted).toHaveLength(40);
    const { wanted, refused } = granted(new WantedTokens(), wishes("ann", some(60)));
    expect(wanted).toHaveLength(50);
    expect(refused).toEqual(some(60).slice(50));
  });

  it("prefers the tokens that a user wanted first", () => {
    const tokens = new WantedTokens();
    granted(tokens, wishes("ann", some(50, "old")), 0);
    const { wanted, refused } = granted(
      tokens,
      wishes("ann", [...some(10, "new"), ...some(50, "old")]),
      100_000,
    );
    expect(wanted.toSorted()).toEqual(some(50, "old").toSorted());
    expect(refused).toEqual(some(10, "new"));
  });

  it("prefers the tokens of a user's connections to those that the user asked for over REST", () => {
    const tokens = new WantedTokens();
    const asked = wishes("ann", some(50, "page"));
    granted(tokens, asked, 0);
    const { wantedMs: _, ...followed } = wish("ann", ["chart"]);
    const { wanted, refused } = granted(tokens, [followed, ...asked], 100_000);
    expect(wanted).toContain("chart");
    expect(refused).toEqual(["page49"]);
  });

  it("adds at most 20 new tokens of a user per minute, not counting tokens that other users also want", () => {
    const tokens = running();
    granted(tokens, [wish("bob", some(5))]);
    const all = [wish("bob", some(5)), ...wishes("ann", some(30))];
    expect(granted(tokens, all, 1000).wanted).toHaveLength(25);
    expect(granted(tokens, all, 60_999).refused).toHaveLength(5);
    expect(granted(tokens, all, 61_000)).toMatchObject({ refused: [] });
    const most = [wish("bob", some(5)), ...wishes("ann", some(50))];
    expect(granted(tokens, most, 62_000).wanted).toHaveLength(45);
  });

  it("counts no listed or held token as new, and rejects no token while a user's positions are unknown", () => {
    const tokens = running();
    let known: ReadonlySet<string> | undefined;
    const rules: WishRules = {
      isListed: ({ token }) => token.startsWith("listed"),
      heldBy: () => known,
    };
    const all = wishes("ann", [...some(10, "listed"), ...some(15, "held"), ...some(24)]);
    expect(granted(tokens, all, 0, rules)).toMatchObject({ wanted: { length: 30 }, refused: [] });
    known = holding(some(15, "held"));
    const { wanted, refused } = granted(tokens, all, 1000, rules);
    expect(wanted).toEqual(expect.arrayContaining([...some(10, "listed"), ...some(15, "held")]));
    expect(refused).toHaveLength(19);
    known = holding(some(60, "held"));
    const many = granted(tokens, wishes("ann", some(60, "held")), 2000, rules);
    expect(many).toMatchObject({ wanted: { length: 50 }, refused: { length: 10 } });
  });

  it("continues with all tokens that the previous run has read", () => {
    expect(granted(new WantedTokens(), wishes("ann", some(50))).wanted).toHaveLength(50);
  });

  it("drops tokens of the user with the most tokens if a chain has reached its limit", () => {
    const tokens = new WantedTokens();
    const greedy = ["ann", "bob", "eve"].flatMap((userID) => wishes(userID, some(50, userID)));
    expect(granted(tokens, greedy).wanted).toHaveLength(150);
    const { wanted, refused } = granted(tokens, [...greedy, wish("dan", some(3, "dan"))], 1000);
    expect(wanted).toHaveLength(150);
    expect(wanted).toEqual(expect.arrayContaining(some(3, "dan")));
    expect(refused.map((token) => token.slice(0, 3)).toSorted()).toEqual(["ann", "bob", "eve"]);
  });

  it("reads as many tokens as the chain may have, and twice as many with the held ones", () => {
    const users = some(30, "user").map((userID) => wish(userID, [`t of ${userID}`]));
    const with20 = () => new WantedTokens((chain) => (chain === "base" ? 20 : 0));
    expect(granted(with20(), users).wanted).toHaveLength(20);
    const allHeld: WishRules = { isListed: () => false, heldBy: () => ({ has: () => true }) };
    expect(granted(with20(), users, 0, allHeld).wanted).toHaveLength(30);
    const more = some(50, "user").map((userID) => wish(userID, [`t of ${userID}`]));
    expect(granted(with20(), more, 0, allHeld).wanted).toHaveLength(40);
  });

  it("keeps listed and held tokens, however many a user has", () => {
    const rules: WishRules = {
      isListed: ({ token }) => token.startsWith("listed"),
      heldBy: (userID) => (userID === "ann" ? holding(some(5, "held")) : nothing),
    };
    const crowd = some(150, "user").map((userID) => wish(userID, [`of ${userID}`]));
    const ann = [wish("ann", [...some(10), ...some(5, "held"), ...some(5, "listed")])];
    const { wanted, refused } = granted(new WantedTokens(), [...crowd, ...ann], 0, rules);
    expect(wanted).toHaveLength(150);
    expect(wanted).toEqual(expect.arrayContaining([...some(5, "held"), ...some(5, "listed")]));
    expect(refused).toEqual(expect.arrayContaining(some(9).map((_, index) => `t${index + 1}`)));
    const many = some(400, "user").map((userID) => wish(userID, [`held by ${userID}`]));
    const allHeld: WishRules = { ...rules, heldBy: () => ({ has: () => true }) };
    expect(granted(new WantedTokens(), many, 0, allHeld).wanted).toHaveLength(300);
  });

  it("looks only at users whose wishes or positions have changed", () => {
    const asked: string[] = [];
    let held = holding([]);
    const rules: WishRules = {
      isListed({ token }) {
        asked.push(token);
        return false;
      },
      heldBy: (userID) => (userID === "ann" ? held : nothing),
    };
    const tokens = new WantedTokens();
    const [ann, bob] = [wish("ann", ["a"]), wish("bob", ["b"])];
    const once = granted(tokens, [ann, bob], 0, rules);
    expect(granted(tokens, [bob, ann], 1000, rules)).toEqual(once);
    expect(asked).toEqual(["a", "b"]);
    granted(tokens, [ann, bob, wish("bob", ["c"])], 2000, rules);
    held = holding(["x"]);
    granted(tokens, [ann, bob], 3000, rules);
    expect(asked).toEqual(["a", "b", "b", "c", "a", "b"]);
    expect(granted(tokens, [bob], 4000, rules).wanted).toEqual(["b"]);
  });

  it("tells a user at most 50 refusals, in the same list until they change", () => {
    const tokens = new WantedTokens();
    const all = [...wishes("ann", some(200)), wish("bob", ["b"])];
    const { refused } = tokens.grant(all, anything, 0);
    expect([...refused.keys()]).toEqual(["ann"]);
    expect(refused.get("ann")).toHaveLength(50);
    const before = refused.get("ann");
    tokens.grant([...all, wish("eve", ["e"])], anything, 1000);
    expect(refused.get("ann")).toBe(before);
  });

  it("names the time from which new tokens may be read", () => {
    const tokens = running();
    const all = wishes("ann", some(30));
    granted(tokens, all, 5000);
    expect(tokens.againMs).toBe(65_000);
    expect(granted(tokens, all, 65_000)).toMatchObject({ refused: [] });
    expect(tokens.againMs).toBe(Number.POSITIVE_INFINITY);
  });

  it("never exceeds a limit, and rejects exactly the tokens that it does not grant", () => {
    const users = fc.array(fc.array(fc.nat(400), { maxLength: 80 }), { maxLength: 12 });
    fc.assert(
      fc.property(fc.array(users, { minLength: 1, maxLength: 4 }), (rounds) => {
        const tokens = running();
        let before = new Set<string>();
        for (const [index, round] of rounds.entries()) {
          const all = round.flatMap((own, user) => wishes(`${user}`, own.map(String)));
          const { wanted, refused } = granted(tokens, all, index * 1000);
          expect(wanted.length).toBeLessThanOrEqual(150);
          expect(new Set([...wanted, ...refused])).toEqual(new Set(round.flat().map(String)));
          expect(new Set(wanted).size + refused.length).toBe(new Set([...wanted, ...refused]).size);
          for (const own of round) {
            const mine = new Set(own.map(String));
            const others = new Set(
              round
                .filter((each) => each !== own)
                .flat()
                .map(String),
            );
            const alone = wanted.filter((token) => mine.has(token) && !others.has(token));
            expect(alone.length).toBeLessThanOrEqual(50);
            expect(alone.filter((token) => !before.has(token)).length).toBeLessThanOrEqual(20);
          }
          before = new Set(wanted);
        }
      }),
      { numRuns: 40 },
    );
  });
});
