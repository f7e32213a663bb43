import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type FollowedToken,
  following,
  isSameToken,
  mostCandleTokens,
  mostFollowedTokens,
  unfollowing,
} from "../../../lib/markets/core/market-subscription.ts";

const plain = (index: number): FollowedToken => ({ chain: "base", token: `0x${index}` });
const charted = (index: number): FollowedToken => ({ ...plain(index), candles: true });
const upTo = (count: number, from = 0) => Array.from({ length: count }, (_, index) => from + index);

describe("following", () => {
  it("adds tokens in order, and distinguishes chains", () => {
    const others: FollowedToken[] = [{ chain: "eth", token: "0x1" }, plain(2)];
    expect(following([plain(1)], others)).toEqual({
      tokens: [plain(1), ...others],
      tooMany: [],
      withoutCandles: [],
    });
  });

  it("changes a followed token's options without changing the token's position", () => {
    const { tokens } = following([plain(1), charted(2), plain(3)], [charted(1), plain(2)]);
    expect(tokens).toEqual([charted(1), plain(2), plain(3)]);
  });

  it("adds tokens up to the limit, and can still change tokens that are already followed", () => {
    const before = upTo(mostFollowedTokens - 1).map(plain);
    const found = following(before, [plain(100), plain(101), charted(3), plain(102)]);
    expect(found.tooMany).toEqual([1, 3]);
    expect(found.tokens).toHaveLength(mostFollowedTokens);
    expect(found.tokens).toContainEqual(plain(100));
    expect(found.tokens[3]).toEqual(charted(3));
  });

  it("follows tokens without candles once the limit of candles is reached", () => {
    const before = upTo(mostCandleTokens).map(charted);
    const found = following(before, [charted(10), charted(0), plain(1), charted(11)]);
    expect(found.withoutCandles).toEqual([0]);
    expect(found.tokens.filter(({ candles }) => candles)).toHaveLength(mostCandleTokens);
    expect(found.tokens).toContainEqual(plain(10));
    expect(found.tokens).toContainEqual(charted(11));
  });

  it("never exceeds the limits, follows each token once, and changes nothing when repeated", () => {
    const token = fc.record({ index: fc.nat({ max: 40 }), isCharted: fc.boolean() });
    const change = fc.array(
      token.map(({ index, isCharted }) => (isCharted ? charted(index) : plain(index))),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(fc.array(change, { maxLength: 5 }), (changes) => {
        let tokens: FollowedToken[] = [];
        for (const added of changes) {
          const found = following(tokens, added);
          tokens = found.tokens;
          expect(tokens.length).toBeLessThanOrEqual(mostFollowedTokens);
          expect(tokens.filter(({ candles }) => candles).length).toBeLessThanOrEqual(mostCandleTokens);
          expect(tokens.every((one) => tokens.filter((other) => isSameToken(one, other)).length === 1)).toBe(
            true,
          );
          const refused = new Set(found.tooMany.map((index) => added[index]?.token));
          const isFollowed = ({ token }: FollowedToken) => tokens.some((other) => other.token === token);
          expect(added.every((each) => refused.has(each.token) || isFollowed(each))).toBe(true);
        }
      }),
    );
  });
});

describe("unfollowing", () => {
  it("removes tokens by chain and address, and ignores unknown ones", () => {
    const removed: FollowedToken[] = [plain(1), { chain: "eth", token: "0x2" }, plain(9)];
    expect(unfollowing([charted(1), plain(2)], removed)).toEqual([plain(2)]);
  });
});
