import { randomBytes } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { type HeldNote, readHeldNotes, writeHeldNotes } from "../../../lib/markets/items/held-notes.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { itemsNamed } from "../../support/items.ts";

const db = tableForTests();

let nowMs = Date.parse("2026-11-22T20:00:00Z");
let epoch = 0;
beforeEach(() => {
  nowMs += 3_600_000;
  epoch++;
});

const address = () => `base 0x${randomBytes(20).toString("hex")}`;
const noteOf = (tokens: readonly string[]): HeldNote => ({
  user: randomBytes(16).toString("base64url"),
  tokens,
  readMs: nowMs - 1000,
});
const byUser = (notes: readonly HeldNote[]) => notes.toSorted((a, b) => (a.user < b.user ? -1 : 1));

describe("notes of held tokens", () => {
  it("keeps those of 5000 users, in several items", async () => {
    const known = Array.from({ length: 500 }, address);
    const notes = Array.from({ length: 5000 }, (_, index) =>
      noteOf([address(), ...known.slice(index % 400, (index % 400) + 4)]),
    );
    await writeHeldNotes(db.table, "all", notes, { epoch, nowMs });
    expect(byUser(await readHeldNotes(db.table, "all", nowMs + 1000))).toEqual(byUser(notes));
    expect((await itemsNamed(db.table, "PART#")).length).toBeGreaterThan(1);
  });

  it("keeps at most 20 items, whatever users hold", async () => {
    const notes = Array.from({ length: 1000 }, () => noteOf(Array.from({ length: 200 }, address)));
    await writeHeldNotes(db.table, "all", notes, { epoch, nowMs });
    const kept = await readHeldNotes(db.table, "all", nowMs);
    expect(kept.length).toBeGreaterThan(500);
    expect(kept.length).toBeLessThan(700);
    expect(await itemsNamed(db.table, "PART#")).toHaveLength(20);
  });

  it("leaves out a user with more than 200 tokens", async () => {
    const [many, few] = [noteOf(Array.from({ length: 201 }, address)), noteOf([address()])];
    await writeHeldNotes(db.table, "all", [many, few], { epoch, nowMs });
    expect(await readHeldNotes(db.table, "all", nowMs)).toEqual([few]);
  });

  it("keeps those of each reader apart", async () => {
    const [all, base] = [noteOf([address()]), noteOf([])];
    await writeHeldNotes(db.table, "all", [all], { epoch, nowMs });
    await writeHeldNotes(db.table, "base", [base], { epoch, nowMs });
    expect(await readHeldNotes(db.table, "all", nowMs)).toEqual([all]);
    expect(await readHeldNotes(db.table, "base", nowMs)).toEqual([base]);
  });

  it("returns only those of the last run, for ten minutes, and lets no earlier run replace them", async () => {
    const [before, after] = [noteOf([address()]), noteOf([])];
    await writeHeldNotes(db.table, "all", [before], { epoch, nowMs });
    await writeHeldNotes(db.table, "all", [after], { epoch: ++epoch, nowMs });
    await writeHeldNotes(db.table, "all", [before], { epoch: epoch - 1, nowMs });
    expect(await readHeldNotes(db.table, "all", nowMs + 599_999)).toEqual([after]);
    expect(await readHeldNotes(db.table, "all", nowMs + 600_000)).toEqual([]);
  });
});
