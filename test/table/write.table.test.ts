import { GetCommand, type TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it } from "vitest";
import type { PartitionName } from "../../lib/table/layout.ts";
import {
  atLeast,
  atMost,
  below,
  containing,
  initially,
  oneOf,
  type Step,
  smallerThan,
  type When,
} from "../../lib/table/step.ts";
import type { Table } from "../../lib/table/table.ts";
import { write, writeOne } from "../../lib/table/write.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { interceptedTable } from "../support/intercepted-table.ts";

const db = tableForTests();
const key = { PK: "any", SK: "item" };
const other = { PK: "any", SK: "other" };

async function read(Key = key) {
  const { Item } = await db.table.client.send(new GetCommand({ TableName: db.table.name, Key }));
  return Item;
}

/** Returns a table whose list of transactionPartitions is empty. */
const besideTable = () => ({ ...db.table, transactionPartitions: [] });

const put = (item: object) => write(db.table, { kind: "put", key, item });

describe("a write", () => {
  beforeEach(async () => {
    for (const each of [key, other]) await write(db.table, { kind: "remove", key: each });
  });

  const item = { number: 5, text: "b", members: new Set(["x", "y"]), bytes: new Uint8Array([1, 2]) };

  it.each<[string, When, boolean]>([
    ["absent", "absent", false],
    ["present", "present", true],
    ["present, with no fields named", {}, true],
    ["one with these values", { number: 5, text: "b" }, true],
    ["one with this binary value", { bytes: new Uint8Array([1, 2]) }, true],
    ["one with this set", { members: new Set(["y", "x"]) }, true],
    ["one with another value", { number: 5, text: "c" }, false],
    ["one without a field", { gone: undefined }, true],
    ["one without a field that it has", { number: undefined }, false],
    ["one of several values", { number: oneOf([4, 5]) }, true],
    ["none of several values", { number: oneOf([4, 6]) }, false],
    ["below values", { number: below(6), text: below("c") }, true],
    ["below a value that it has", { number: below(5) }, false],
    ["below a value in a field that it lacks", { gone: below(6) }, false],
    ["at most a value", { number: atMost(5) }, true],
    ["at most a smaller value", { number: atMost(4) }, false],
    ["at least a value", { number: atLeast(5) }, true],
    ["at least a greater value", { number: atLeast(6) }, false],
    ["one with a smaller set", { members: smallerThan(3) }, true],
    ["one with a set smaller than it has", { members: smallerThan(2) }, false],
    ["one with a member", { members: containing("x") }, true],
    ["one with a member that it lacks", { members: containing("z") }, false],
    ["of one of several kinds", ["absent", { number: 4 }, { number: 5 }], true],
    ["of none of several kinds", ["absent", { number: 4, text: "b" }], false],
  ])("decides whether an item is %s, alone and in a transaction", async (_, when, holds) => {
    await put(item);
    expect(await write(db.table, { kind: "change", key, set: { seen: 1 }, when })).toBe(holds);
    expect((await read())?.seen).toBe(holds ? 1 : undefined);
    expect(await write(db.table, [{ kind: "check", key, when }])).toBe(holds);
    expect(await write(besideTable(), [{ kind: "check", key, when }])).toBe(holds);
    expect(await write(db.table, [{ kind: "put", key, item: { number: 1 }, when }])).toBe(holds);
  });

  it.each<[When, boolean]>([
    ["absent", true],
    ["present", false],
    [{}, false],
    [{ gone: undefined }, false],
    [["absent", { number: below(1) }], true],
  ])("evaluates %j for a missing item as %s", async (when, holds) => {
    expect(await write(db.table, { kind: "remove", key, when })).toBe(holds);
    expect(await write(db.table, { kind: "put", key, item, when })).toBe(holds);
  });

  it("sets fields, removes fields, adds to and takes from values, and sets initial values", async () => {
    const left = initially(10, { plus: -1 });
    const change = {
      kind: "change",
      key,
      set: { name: "new", size: 2, old: undefined, first: initially(1), left },
      add: { count: 1, members: new Set(["z"]) },
      take: { others: new Set(["x"]) },
    } as const;
    await put({ old: 1, others: new Set(["x", "y"]) });
    await write(db.table, change);
    const changed = { ...key, name: "new", size: 2, first: 1, left: 9, count: 1 };
    expect(await read()).toEqual({ ...changed, members: new Set(["z"]), others: new Set(["y"]) });
    await write(db.table, [{ ...change, set: { first: initially(5), left } }]);
    expect(await read()).toMatchObject({ first: 1, left: 8, count: 2 });
  });

  it("creates an item by a change, even if the change has no fields", async () => {
    expect(await write(db.table, { kind: "change", key })).toBe(true);
    expect(await read()).toEqual(key);
  });

  it("writes all parts of a step or none", async () => {
    const step: Step = [
      { kind: "put", key, item: { number: 1 }, when: "absent" },
      { kind: "change", key: other, add: { number: 1 }, when: { number: undefined } },
    ];
    expect(await write(db.table, step)).toBe(false);
    expect(await read()).toBeUndefined();
    await write(db.table, { kind: "put", key: other, item: {} });
    expect(await write(db.table, step)).toBe(true);
    expect(await read(other)).toEqual({ ...other, number: 1 });
  });

  it("rereads items of partitions outside its transaction on each attempt", async () => {
    const foreign = { PK: "foreign", SK: "item" };
    const sent: string[] = [];
    const { name, client } = interceptedTable(db.table, (command) => {
      const { TransactItems } = (command as TransactWriteCommand).input;
      sent.push(TransactItems === undefined ? "read" : `write of ${TransactItems.length}`);
    });
    const table: Table = { name, client, transactionPartitions: ["any" as PartitionName] };
    const step: Step = [
      { kind: "put", key, item: { number: 1 } },
      { kind: "check", key: other, when: "absent" },
      { kind: "check", key: foreign, when: { number: below(3) } },
    ];
    expect(await write(table, step)).toBe(false);
    await write(db.table, { kind: "put", key: foreign, item: { number: 2 } });
    expect(await write(table, step)).toBe(true);
    expect(sent).toEqual(["read", "read", "write of 2"]);
    expect(await write(table, step.slice(2))).toBe(true);
    await write(db.table, { kind: "put", key: other, item: {} });
    expect(await write(table, step)).toBe(false);
    expect((await read())?.number).toBe(1);
  });

  it("returns the new item of an update, the old item of a put or removal, and the unchanged item if a condition fails", async () => {
    const one = (item: object) => writeOne(db.table, { kind: "put", key, item });
    expect(await one({ number: 1 })).toEqual({ isWritten: true, item: undefined });
    expect(await one({ number: 2 })).toEqual({ isWritten: true, item: { ...key, number: 1 } });
    const change = { kind: "change", key, add: { number: 1 } } as const;
    expect(await writeOne(db.table, change)).toEqual({ isWritten: true, item: { ...key, number: 3 } });
    const refused = { kind: "remove", key, when: { number: 9 } } as const;
    expect(await writeOne(db.table, refused)).toEqual({ isWritten: false, item: { ...key, number: 3 } });
    expect(await writeOne(db.table, { kind: "remove", key })).toMatchObject({ item: { number: 3 } });
  });

  it("accepts at most 100 writes in a step", async () => {
    const step = Array.from({ length: 101 }, () => ({ kind: "remove", key }) as const);
    await expect(write(db.table, step)).rejects.toThrow("A step has 101 writes, more than 100");
  });
});
