import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cursorAt } from "../../lib/core/cursor.ts";
import type { Order, Position } from "../../lib/orders/execution.ts";
import { executionItems } from "../../lib/trading/items/execution-records.ts";
import { listExecutions } from "../../lib/trading/list-executions.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { order, position } from "../support/executions.ts";
import { putItems } from "../support/items.ts";

const db = tableForTests();
const now = new Date("2026-11-21T09:00:00.000Z");
const moon = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const wallet = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const limit = "50";

function itemOf(userID: string, execution: Order | Position) {
  const kind = "orderId" in execution ? "order" : "position";
  const { key, item } = executionItems({ userID, kind, execution, now }).listed;
  return { ...key, ...item };
}

const put = (userID: string, ...executions: (Order | Position)[]) =>
  putItems(
    db.table,
    executions.map((execution) => itemOf(userID, execution)),
  );

type Query = Partial<Parameters<typeof listExecutions>[2]>;

const orders = (userID: string, query: Query = {}) =>
  listExecutions<Order>(db.table, { userID, kind: "order" }, { limit, ...query });

const idsOf = ({ executions }: { executions: Order[] }) => executions.map(({ orderId }) => orderId);

/** Returns the ids on all pages. */
async function allPages(userID: string, query: Query): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = await orders(userID, { ...query, cursor });
    pages.push(idsOf(page));
    cursor = page.cursor;
  } while (cursor !== undefined);
  return pages;
}

const at = (second: number) => new Date(Date.UTC(2026, 10, 21, 9, 0, second)).toISOString();

describe("listExecutions", () => {
  it("lists one user's orders, newest first, and orders of the same time by id", async () => {
    const [own, other] = [randomUUID(), randomUUID()];
    await put(
      own,
      order({ orderId: "b" }),
      order({ orderId: "old", createdAt: at(-9) }),
      order({ orderId: "a" }),
    );
    await put(own, order({ orderId: "new", createdAt: at(9) }), position({ positionId: "p" }));
    await put(other, order({ orderId: "theirs" }));
    expect(idsOf(await orders(own))).toEqual(["new", "a", "b", "old"]);
    expect(await orders(randomUUID())).toEqual({ executions: [] });
  });

  it("lists positions by their opening time", async () => {
    const userID = randomUUID();
    await put(
      userID,
      position({ positionId: "p1" }),
      position({ positionId: "p2", openedAt: at(1) }),
      order(),
    );
    const page = await listExecutions<Position>(db.table, { userID, kind: "position" }, { limit });
    expect(page.executions.map(({ positionId }) => positionId)).toEqual(["p2", "p1"]);
  });

  it("puts every order on exactly one page, with a cursor on every page except the last", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.tuple(fc.nat({ max: 5 }), fc.stringMatching(/^[a-z]{1,3}$/)), {
          selector: ([second, id]) => `${second} ${id}`,
          maxLength: 12,
        }),
        fc.integer({ min: 1, max: 5 }),
        async (made, size) => {
          const userID = randomUUID();
          const all = made.map(([second, id]) => order({ orderId: `${id}${second}`, createdAt: at(second) }));
          await put(userID, ...all);
          const pages = await allPages(userID, { limit: `${size}` });
          const expected = all
            .toSorted((a, b) => (a.orderId < b.orderId ? -1 : 1))
            .toSorted((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt));
          expect(pages.flat()).toEqual(expected.map(({ orderId }) => orderId));
          expect(pages).toHaveLength(Math.max(1, Math.ceil(all.length / size)));
        },
      ),
      { numRuns: 30 },
    );
  });

  it("keeps later pages stable when orders are added", async () => {
    const userID = randomUUID();
    await put(userID, ...[1, 2, 3].map((n) => order({ orderId: `o${n}`, createdAt: at(n) })));
    const first = await orders(userID, { limit: "2" });
    await put(userID, order({ orderId: "o4", createdAt: at(4) }));
    expect(idsOf(first)).toEqual(["o3", "o2"]);
    expect(idsOf(await orders(userID, { limit: "2", cursor: first.cursor }))).toEqual(["o1"]);
  });

  it("lists only executions that match all filters", async () => {
    const userID = randomUUID();
    const base = { chain: "eth", wallet, token: moon, status: "open" } as const;
    await put(
      userID,
      order({ orderId: "all", ...base }),
      order({ orderId: "lower", ...base, wallet: wallet.toLowerCase(), token: moon.toLowerCase() }),
      order({ orderId: "chain", ...base, chain: "base" }),
      order({ orderId: "wallet", ...base, wallet: moon }),
      order({ orderId: "token", ...base, token: wallet }),
      order({ orderId: "status", ...base, status: "filled" }),
      order({ orderId: "none" }),
    );
    expect(idsOf(await orders(userID, base))).toEqual(["all", "lower"]);
    const asked = { ...base, wallet: wallet.toLowerCase(), token: `0x${moon.slice(2).toUpperCase()}` };
    expect(idsOf(await orders(userID, asked))).toEqual(["all", "lower"]);
    expect(idsOf(await orders(userID, { status: "filled" }))).toEqual(["status"]);
    expect(idsOf(await orders(userID, { chain: "sol", wallet: order().wallet }))).toEqual(["none"]);
    expect(await orders(userID, { status: "expired" })).toEqual({ executions: [] });
  });

  it("finds every match among many orders, page by page", async () => {
    const userID = randomUUID();
    const many = Array.from({ length: 900 }, (_, n) =>
      order({
        orderId: `o${n}`,
        createdAt: at(n),
        status: n % 300 === 0 ? "filled" : "open",
        reason: "x".repeat(2000),
      }),
    );
    await put(userID, ...many);
    const pages = await allPages(userID, { status: "filled", limit: "2" });
    expect(pages.flat()).toEqual(["o600", "o300", "o0"]);
    expect(pages.length).toBeLessThan(6);
  });

  it.each<[string, (cursor: string) => Query]>([
    ["of another filter", (cursor) => ({ status: "filled", cursor })],
    [
      "with a changed end",
      (cursor) => ({ cursor: `${cursor.slice(0, -1)}${cursor.endsWith("A") ? "B" : "A"}` }),
    ],
    [
      "with a changed beginning",
      (cursor) => ({ cursor: `${cursor.startsWith("A") ? "B" : "A"}${cursor.slice(1)}` }),
    ],
    ["that was truncated", (cursor) => ({ cursor: cursor.slice(0, -4) })],
    ["that was made up", () => ({ cursor: "A".repeat(40) })],
    ["with another ending of the same bits", (cursor) => ({ cursor: `${cursor}=` })],
  ])("rejects a cursor %s", async (_, change) => {
    const userID = randomUUID();
    await put(userID, order({ orderId: "a" }), order({ orderId: "b" }));
    const { cursor = "" } = await orders(userID, { limit: "1" });
    await expect(orders(userID, change(cursor))).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      details: { field: "cursor" },
    });
    expect(idsOf(await orders(userID, { limit: "9", cursor }))).toEqual(["b"]);
  });

  it("rejects a cursor that points beyond the end of the list", async () => {
    const filter = {};
    const cursor = cursorAt("\u{10FFFF}z", ["order", "forger", filter]);
    await expect(orders("forger", { cursor })).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  });

  it("rejects a cursor of another user or another kind", async () => {
    const [own, other] = [randomUUID(), randomUUID()];
    for (const userID of [own, other])
      await put(userID, order({ orderId: "a" }), order({ orderId: "b" }), position());
    const { cursor } = await orders(own, { limit: "1" });
    const refused = { code: "INVALID_REQUEST", details: { field: "cursor" } };
    await expect(orders(other, { cursor })).rejects.toMatchObject(refused);
    const positions = listExecutions(db.table, { userID: own, kind: "position" }, { limit, cursor });
    await expect(positions).rejects.toMatchObject(refused);
  });

  it.each(["wallet", "token"])("rejects a %s with a wrong checksum", async (field) => {
    await expect(orders("nobody", { [field]: wallet.replace("F", "f") })).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      details: { field },
    });
  });
});
