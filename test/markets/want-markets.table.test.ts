import { beforeEach, describe, expect, it } from "vitest";
import { openWant } from "../../lib/markets/want-markets.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { itemsNamed } from "../support/items.ts";
import { moon, otherToken } from "./support/markets.ts";

const db = tableForTests();
const now = new Date("2026-11-22T20:00:00.000Z");
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);

const token = { chain: "base", token: moon } as const;
const other = { chain: "base", token: otherToken } as const;

let starts: number;
let faults: unknown[];
let users = 0;
let userID: string;

beforeEach(() => {
  [starts, faults, userID] = [0, [], `user${++users}`];
});

const open = (startReader = async () => void starts++) =>
  openWant(db.table, startReader, (error) => faults.push(error));

const announced = async () => {
  const news = (await itemsNamed(db.table, "NEWS#")).filter((item) => item.userID === userID);
  return news.map(({ tokens }) => (tokens as { token: string }[]).map((each) => each.token)).toSorted();
};

describe("wanting markets", () => {
  it("announces each wanted token once in five minutes, in one item per request", async () => {
    const want = open();
    await want(userID, [token, other], now);
    await want(userID, [token], later(299));
    expect(await announced()).toEqual([[moon, otherToken]]);
    await want(userID, [other], later(300));
    expect(await announced()).toEqual([[moon, otherToken], [otherToken]]);
  });

  it("announces a token for each user who wants it", async () => {
    const want = open();
    await want(`other ${userID}`, [token], now);
    await want(userID, [token], later(1));
    expect(await announced()).toEqual([[moon]]);
  });

  it("starts a market reader at most once in ten seconds, if no run has the lease", async () => {
    const want = open();
    await want(userID, [token], now);
    await want(userID, [token], later(9));
    expect(starts).toBe(1);
    await want(userID, [token], later(10));
    expect(starts).toBe(2);
  });

  it("does nothing if no token is wanted", async () => {
    await open()(userID, [], now);
    expect([starts, await announced()]).toEqual([0, []]);
  });

  it("reports a failure, and tries again with the next request", async () => {
    const want = open(async () => {
      if (++starts === 1) throw new Error("Lambda is busy");
    });
    await want(userID, [token], now);
    expect(faults).toEqual([new Error("Lambda is busy")]);
    await want(userID, [token], later(1));
    expect([starts, faults.length]).toEqual([2, 1]);
  });
});
