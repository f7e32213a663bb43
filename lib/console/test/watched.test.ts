import { describe, expect, it } from "vitest";
import {
  heldIn,
  mostWatched,
  offeredTo,
  toggled,
  type WatchedToken,
  watchedIn,
  withOpened,
} from "../app/watched.ts";

const tokenOf = (number: number): WatchedToken => ({
  chain: "base",
  token: `0x${String(number).padStart(40, "0")}`,
  symbol: `T${number}`,
});

describe("watchedIn", () => {
  it("reads what was written, and nothing that is not a list of tokens", () => {
    expect(watchedIn(JSON.stringify([tokenOf(1)]))).toEqual([tokenOf(1)]);
    const wrong = [{ chain: "doge" }, { token: "javascript:1" }, { name: {} }, { flags: "IMPERSONATES" }];
    const odd = [null, 1, {}, ...wrong.map((part) => ({ ...tokenOf(1), ...part }))];
    expect(watchedIn(JSON.stringify([...odd, tokenOf(2)]))).toEqual([tokenOf(2)]);
    for (const text of [undefined, "", "{", "{}", '"text"']) expect(watchedIn(text)).toEqual([]);
  });
});

describe("toggled", () => {
  it("adds a token and removes it, whatever the case of its address", () => {
    const token = { ...tokenOf(1), token: `0x${"ab".repeat(20)}` };
    const list = toggled([tokenOf(2)], token);
    expect(list).toEqual([tokenOf(2), token]);
    expect(toggled(list, { ...token, token: `0x${"AB".repeat(20)}` })).toEqual([tokenOf(2)]);
    expect(toggled(list, { ...token, chain: "eth" })).toHaveLength(3);
  });

  it("leaves a full list as it is", () => {
    const full = Array.from({ length: mostWatched }, (_, index) => tokenOf(index));
    expect(toggled(full, tokenOf(mostWatched))).toBe(full);
  });
});

describe("withOpened", () => {
  const opened = (number: number, flags: string[] = []) => ({ ...tokenOf(number), name: "Any", flags });
  it("lists each token once, the last one first, and warns only of imitations", () => {
    const list = [2, 1, 2].reduce(
      (before, number) => withOpened(before, opened(number)),
      [] as readonly WatchedToken[],
    );
    expect(list).toEqual([opened(2), opened(1)]);
    const [last] = withOpened(list, opened(3, ["NOT_LISTED", "IMPERSONATES"]));
    expect(last).toEqual(opened(3, ["IMPERSONATES"]));
    expect(watchedIn(JSON.stringify([last]))).toEqual([last]);
  });

  it("forgets the token that was opened longest ago", () => {
    const full = Array.from({ length: mostWatched }, (_, index) => tokenOf(index));
    const list = withOpened(full, opened(mostWatched));
    expect(list).toEqual([opened(mostWatched), ...full.slice(0, -1)]);
  });
});

describe("heldIn", () => {
  it("lists the tokens of open positions once, without those that are watched", () => {
    const position = (number: number, status = "open") => ({ ...tokenOf(number), status });
    const positions = [position(1), position(2), position(2), position(3, "closed")];
    expect(heldIn(positions, [tokenOf(1)])).toEqual([tokenOf(2)]);
  });
});

describe("offeredTo", () => {
  it("picks a few listed tokens until one is watched", () => {
    const listed = Array.from({ length: 20 }, (_, index) => tokenOf(index));
    expect(offeredTo([], listed)).toEqual(listed.slice(0, 6));
    expect(offeredTo([tokenOf(30)], listed)).toEqual([]);
  });
});
