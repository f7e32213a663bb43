import { randomUUID } from "node:crypto";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { readNewsSince } from "../../lib/markets/items/news.ts";
import {
  type ConnectionName,
  connectionsOfUser,
  openConnection,
} from "../../lib/realtime/connection-records.ts";
import { type SubscribeRequest, subscribe, unsubscribe } from "../../lib/realtime/subscribe.ts";
import { changeReaderLease } from "../../lib/trading/items/reader-leases.ts";
import { holdPrices } from "../prices/support/held-prices.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { price } from "../support/executions.ts";
import { interceptedTable } from "../support/intercepted-table.ts";
import { itemsNamed } from "../support/items.ts";

const db = tableForTests();

const now = new Date("2026-11-21T09:00:00.000Z");
const time = now.toISOString();
const startReader = vi.fn(async () => {});
const onFault = vi.fn();
beforeEach(() => {
  startReader.mockReset();
  onFault.mockReset();
});

const markets = { chains: ["eth", "base", "sol"], startReader, onFault } as const;

async function connected(): Promise<ConnectionName> {
  const name = { userID: randomUUID(), connectionId: randomUUID() };
  await openConnection(db.table, name, { shard: 3, now });
  return name;
}

type Given = { channels?: string[] } & Omit<Partial<SubscribeRequest>, "channels">;

const follow = (name: ConnectionName, { channels = ["prices"], ...given }: Given, on: object = { markets }) =>
  subscribe(db.table, { ...name, now, channels, ...given }, on);
const leave = (name: ConnectionName, given: Given) =>
  unsubscribe(db.table, { ...name, now, ...given }, { onFault });

const moon = { chain: "base", token: "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf" };
const sol = { chain: "sol", token: "So11111111111111111111111111111111111111112" };
const token = (index: number) => ({ chain: "eth", token: `0x9${String(index).padStart(39, "0")}` });
const tokens = (count: number, from = 0) => Array.from({ length: count }, (_, index) => token(from + index));

const answer = (every: number, followed: object[], channels = ["prices"]) => ({
  type: "subscriptions",
  channels,
  every,
  tokens: followed,
  time,
});
const plain = (...channels: string[]) => ({ type: "subscriptions", channels, time });
const error = (code: string, message: string) => ({ type: "error", code, message });
const errorsIn = (replies: readonly object[]) =>
  replies.filter((reply) => "type" in reply && reply.type === "error");

const placesOf = async ({ connectionId }: ConnectionName) =>
  (await itemsNamed(db.table, connectionId)).map(({ PK }) => PK).filter((PK) => PK.startsWith("CHANNEL#"));

const newsOf = async ({ connectionId }: ConnectionName) =>
  (await readNewsSince(db.table, Date.now() - 60_000, 4)).filter(
    (news) => news.connectionId === connectionId,
  );

describe("subscribe with tokens", () => {
  it("follows tokens, and stops following them, even if the reader cannot be told", async () => {
    const name = await connected();
    const table = interceptedTable(db.table, (command) => {
      if (command instanceof PutCommand && `${command.input.Item?.PK}`.startsWith("MARKETNEWS#"))
        throw new Error("throttled");
    });
    startReader.mockRejectedValueOnce(new Error("no function"));
    const request = { ...name, now, channels: ["prices"], tokens: [moon] };
    expect(await subscribe(table, request, { markets })).toContainEqual(answer(1, [moon]));
    expect(onFault.mock.calls.map(([fault]) => fault.message)).toEqual(["throttled", "no function"]);
    expect(await newsOf(name)).toEqual([]);
    expect(await unsubscribe(table, { ...name, now, tokens: [moon] }, { onFault })).toEqual([answer(1, [])]);
    expect(onFault).toHaveBeenCalledTimes(3);
  });

  it("moves the connection to the market reader's audience, and informs the market reader", async () => {
    await holdPrices(db.table, [price()]);
    const name = await connected();
    await follow(name, {}, {});
    expect(await placesOf(name)).toEqual(["CHANNEL#prices#3"]);
    expect(await newsOf(name)).toEqual([]);

    const given = [{ ...moon, token: moon.token.toLowerCase(), candles: true }, sol];
    expect(await follow(name, { tokens: given })).toEqual([
      answer(1, [{ ...moon, candles: true }, sol]),
      { type: "snapshot", channel: "prices", time, data: [price()] },
    ]);
    expect(await placesOf(name)).toEqual(["CHANNEL#markets#3"]);
    expect(await newsOf(name)).toEqual([
      { ...name, shard: 3, tokens: [moon, sol], id: expect.any(String), atMs: expect.any(Number) },
    ]);
    expect(startReader).toHaveBeenCalledTimes(1);
  });

  it("adds tokens, and keeps the connection's earlier tokens and pace", async () => {
    const name = await connected();
    expect(await follow(name, { channels: ["orders", "prices"], every: 5 })).toContainEqual(
      answer(5, [], ["orders", "prices"]),
    );
    await follow(name, { tokens: [moon] });
    expect(await follow(name, { tokens: [sol, { ...moon, candles: false }] })).toContainEqual(
      answer(5, [moon, sol], ["orders", "prices"]),
    );
    expect(await follow(name, { channels: ["orders"] })).toContainEqual(
      answer(5, [moon, sol], ["orders", "prices"]),
    );
    expect(await newsOf(name)).toHaveLength(3);
    // After a fault, clients repeat the request without tokens.
    await follow(name, {});
    expect((await newsOf(name)).map((news) => news.tokens)).toEqual([[], [moon], [sol, moon], []]);
  });

  it("starts a market reader only if none is running", async () => {
    const name = await connected();
    const lease = { run: "r1", epoch: 1, build: "b", startedAtMs: 0 };
    const startsAfter = async (set: object) => {
      await changeReaderLease(db.table, {
        chain: "markets",
        when: undefined,
        set: { ...lease, ...set },
      }).then((isNew) => isNew || changeReaderLease(db.table, { chain: "markets", when: { epoch: 1 }, set }));
      startReader.mockReset();
      await follow(name, { tokens: [moon] });
      return startReader.mock.calls.length;
    };
    expect(await startsAfter({ heartbeatMs: Date.now() })).toBe(0);
    expect(await startsAfter({ heartbeatMs: Date.now(), isEnded: true })).toBe(1);
    expect(await startsAfter({ heartbeatMs: Date.now() - 10_001, isEnded: undefined })).toBe(1);
  });

  it.each([
    [
      "on other chains",
      [
        { ...moon, chain: "avax" },
        { ...moon, chain: "BASE" },
        { ...moon, chain: "" },
      ],
      error(
        "UNSUPPORTED_CHAIN",
        "tokens.1.chain, tokens.2.chain, tokens.3.chain must be one of eth, base, sol",
      ),
    ],
    [
      "of another family of chains",
      [{ ...moon, chain: "sol" }],
      error("INVALID_MESSAGE", "tokens.1.token must be an address: base58 of 32 bytes"),
    ],
    [
      "that are no address",
      [
        { ...sol, chain: "base" },
        { chain: "eth", token: "0x12" },
      ],
      error("INVALID_MESSAGE", "tokens.1.token, tokens.2.token must be an address: 0x and 40 hex digits"),
    ],
    [
      "with a wrong checksum",
      [{ chain: "eth", token: moon.token.replace("E5F", "e5F") }],
      error(
        "INVALID_MESSAGE",
        "tokens.1.token has a wrong checksum. Compare it with its source, or write it in lower case",
      ),
    ],
    [
      "that stand for a coin",
      [{ chain: "base", token: "native" }],
      error("INVALID_MESSAGE", "tokens.1.token must be an address: the channel has the prices of all coins"),
    ],
    [
      "that are named twice",
      [{ ...moon, token: moon.token.toLowerCase(), candles: true }],
      error("INVALID_MESSAGE", "tokens.1 must not repeat an earlier token"),
    ],
  ])("names tokens %s, and follows the remaining ones", async (_, bad, problem) => {
    const name = await connected();
    const replies = await follow(name, { tokens: [moon, ...bad, sol] });
    expect(errorsIn(replies)).toEqual([problem]);
    expect(replies).toContainEqual(answer(1, [moon, sol]));
  });

  it("names at most five fields in an error, and no values", async () => {
    const bad = Array.from({ length: 7 }, () => ({ chain: "eth", token: "0xsecret" }));
    const [problem] = await follow(await connected(), { tokens: bad });
    expect(problem).toEqual(
      error(
        "INVALID_MESSAGE",
        "tokens.0.token, tokens.1.token, tokens.2.token, tokens.3.token, tokens.4.token, 2 others must be an address: 0x and 40 hex digits",
      ),
    );
  });

  it("follows tokens while the function that reads them does not exist yet", async () => {
    startReader.mockRejectedValueOnce(Object.assign(new Error("no"), { name: "ResourceNotFoundException" }));
    const name = await connected();
    expect(await follow(name, { tokens: [moon] })).toContainEqual(answer(1, [moon]));
    expect(startReader).toHaveBeenCalledOnce();
    expect(await newsOf(name)).toHaveLength(1);
  });

  it("changes nothing if all tokens are invalid", async () => {
    const name = await connected();
    expect(await follow(name, { tokens: [{ chain: "eth", token: "0x" }] })).toMatchObject([
      { code: "INVALID_MESSAGE" },
      plain("prices"),
      { type: "snapshot" },
    ]);
    expect(await follow(name, { tokens: [] })).toMatchObject([plain("prices"), { type: "snapshot" }]);
    expect(await placesOf(name)).toEqual(["CHANNEL#prices#3"]);
    expect([await newsOf(name), startReader.mock.calls]).toEqual([[], []]);
  });

  it("follows up to 20 tokens of a connection, five of them with candles, however many messages arrive at once", async () => {
    const name = await connected();
    const charted = tokens(21).map((each) => ({ ...each, candles: true }));
    const replies = await follow(name, { tokens: charted });
    expect(errorsIn(replies)).toEqual([
      error("TOO_MANY_TOKENS", "tokens.20 cannot be followed: a connection has at most 20 tokens"),
      error(
        "TOO_MANY_TOKENS",
        "tokens.5.candles, tokens.6.candles, tokens.7.candles, tokens.8.candles, tokens.9.candles, 10 others cannot be true: a connection has candles of at most 5 tokens",
      ),
    ]);
    await leave(name, { tokens: tokens(15) });
    await Promise.all([1, 2, 3, 4].map((part) => follow(name, { tokens: tokens(6, part * 100) })));
    const [{ tokens: followed = [] } = {}] = await connectionsOfUser(db.table, name.userID);
    expect(followed).toHaveLength(20);
    expect(followed.filter(({ candles }) => candles)).toEqual([]);
  });

  it.each([
    ["tokens", { tokens: [moon] }, "tokens must come with the channel prices"],
    ["a pace", { every: 1 as const }, "every must come with the channel prices"],
  ])("refuses %s without the channel, and subscribes to the remaining channels", async (_, given, text) => {
    const name = await connected();
    expect(await follow(name, { ...given, channels: ["orders"] })).toEqual([
      error("INVALID_MESSAGE", text),
      plain("orders"),
      { type: "snapshot", channel: "orders", time, data: [] },
    ]);
    expect(await placesOf(name)).toEqual([]);
  });

  it("refuses tokens and a pace where markets are off, but subscribes to prices of coins", async () => {
    const name = await connected();
    expect(await follow(name, { every: 5, tokens: [moon] }, {})).toMatchObject([
      error("MARKETS_DISABLED", "every, tokens cannot be used: markets are switched off"),
      plain("prices"),
      { type: "snapshot", channel: "prices" },
    ]);
    expect(await placesOf(name)).toEqual(["CHANNEL#prices#3"]);
  });
});

describe("unsubscribe with tokens", () => {
  it("removes tokens with or without channels, and informs the market reader", async () => {
    const name = await connected();
    await follow(name, { channels: ["orders", "prices"], tokens: [moon, sol, token(1)] });
    expect(await leave(name, { tokens: [{ ...moon, token: moon.token.toLowerCase() }, token(2)] })).toEqual([
      answer(1, [sol, token(1)], ["orders", "prices"]),
    ]);
    expect(await leave(name, { channels: ["orders"], tokens: [token(1)] })).toEqual([answer(1, [sol])]);
    expect(await placesOf(name)).toEqual(["CHANNEL#markets#3"]);
    expect((await newsOf(name)).map((news) => news.tokens.length)).toEqual([3, 0, 0]);
  });

  it("removes all tokens together with the channel, so that a new subscription starts without tokens", async () => {
    const name = await connected();
    await follow(name, { every: 5, tokens: [moon] });
    expect(await leave(name, { channels: ["prices"] })).toEqual([plain()]);
    expect(await placesOf(name)).toEqual([]);
    expect(await newsOf(name)).toHaveLength(2);
    expect(await follow(name, {})).toMatchObject([plain("prices"), { type: "snapshot" }]);
    expect(await placesOf(name)).toEqual(["CHANNEL#prices#3"]);
    await leave(name, { channels: ["prices"] });
    expect(await newsOf(name)).toHaveLength(2);
  });

  it("names invalid tokens, and removes the others", async () => {
    const name = await connected();
    await follow(name, { tokens: [moon, sol] });
    expect(
      await leave(name, { tokens: [{ chain: "doge", token: "x" }, { ...moon, chain: "sol" }, sol] }),
    ).toEqual([
      error("UNSUPPORTED_CHAIN", "tokens.0.chain must be one of eth, base, bsc, avax, sol"),
      error("INVALID_MESSAGE", "tokens.1.token must be an address: base58 of 32 bytes"),
      answer(1, [moon]),
    ]);
  });
});
