import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BatchGetCommand, GetCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { catalogueKey } from "../../../lib/rewards/item-keys.ts";
import { rewardTypes } from "../../../lib/rewards/reward.ts";
import { readCatalogue } from "../../../lib/rewards/reward-records.ts";
import { readStock, setStock } from "../../../lib/rewards/stock-records.ts";
import { seedExamples } from "../../../lib/tools/runner/seed-data.ts";
import { interceptedTable } from "../../support/intercepted-table.ts";
import { reward } from "../../support/rewards.ts";
import { linesOf, run } from "./support/admin.ts";
import { targetForTests } from "./support/custody.ts";

const target = targetForTests();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "rewards-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function put(content: unknown, ...options: string[]) {
  const file = join(folder, "rewards.json");
  await writeFile(file, typeof content === "string" ? content : JSON.stringify(content));
  const finished = await run(target, ["put-rewards", file, ...options]);
  return { ...finished, err: finished.err.replaceAll(file, "FILE") };
}

describe("put-rewards", () => {
  it("replaces the catalogue, and prints additions, changes and removals", async () => {
    const first = await put([reward("mug"), reward("cap")]);
    expect(first).toEqual({ code: 0, out: "added mug\nadded cap\n", err: "" });

    const next = [reward("cap", { cost: 90, stock: -1 }), reward("pin")];
    expect(linesOf((await put(next)).out)).toEqual([
      "changed cap",
      "  cost: 100 -> 90",
      "  stock: 5 -> -1",
      "added pin",
      "removed mug",
    ]);
    expect(await readCatalogue(target.table)).toEqual(next);
  });

  it("reports that the catalogue did not change", async () => {
    await put([reward("mug")]);
    expect(await put([reward("mug")])).toEqual({ code: 0, out: "Nothing changed\n", err: "" });
  });

  it("reports that only the order of rewards changed", async () => {
    await put([reward("mug"), reward("cap")]);
    expect((await put([reward("cap"), reward("mug")])).out).toBe("changed the order\n");
  });

  it("starts the stock of new rewards and never restores sold pieces", async () => {
    await put([reward("mug"), reward("pin", { stock: -1 })]);
    expect([await readStock(target.table, "mug"), await readStock(target.table, "pin")]).toEqual([
      5,
      undefined,
    ]);
    await setStock(target.table, "mug", 2);
    expect((await put([reward("mug"), reward("pin", { stock: -1 })])).out).toBe(
      "kept the stock of mug: 2 left, 5 in the file (see --set-stock)\n",
    );
    await put([]);
    await put([reward("mug", { stock: 9 })]);
    expect(await readStock(target.table, "mug")).toBe(2);
  });

  it("resets the remaining stock with --set-stock", async () => {
    await put([reward("mug"), reward("cap"), reward("pin")]);
    await setStock(target.table, "mug", 2);
    const next = [reward("mug"), reward("cap", { stock: -1 }), reward("pin")];
    expect(linesOf((await put(next, "--set-stock")).out)).toEqual([
      "changed cap",
      "  stock: 5 -> -1",
      "set the stock of mug: 2 -> 5",
      "set the stock of cap: 5 -> unlimited",
    ]);
    const left = await Promise.all(next.map(({ id }) => readStock(target.table, id)));
    expect(left).toEqual([5, undefined, 5]);
  });

  it.each([
    [[], "added mug\nkept the stock of mug: 9 left, 5 in the file (see --set-stock)\n", 9],
    [["--set-stock"], "added mug\n", 5],
  ])("accepts a stock count that a concurrent sale started, with options %j", async (options, out, left) => {
    const { table } = target;
    const sold = interceptedTable(
      table,
      () => {},
      (command) => command instanceof BatchGetCommand && setStock(table, "mug", 9),
    );
    target.table = sold;
    expect(await put([reward("mug")], ...options)).toEqual({ code: 0, out, err: "" });
    expect(await readStock(table, "mug")).toBe(left);
  });

  it("accepts an empty catalogue", async () => {
    await put([reward("mug")]);
    expect((await put([])).out).toBe("removed mug\n");
    expect(await readCatalogue(target.table)).toEqual([]);
  });

  it("lists every problem by place, id and field, and changes nothing", async () => {
    await put([reward("mug")]);
    const { stock: _, ...noStock } = reward("cap");
    const { code, out, err } = await put([
      { ...reward("mug"), type: "gift", cost: -1 },
      noStock,
      { ...reward("pin"), colour: "red" },
      "tea",
      { ...reward("a b"), imageUrl: "http://images.example/a.png" },
      reward("car", { cost: 1e12 + 1 }),
    ]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    const [title, ...problems] = linesOf(err);
    expect(title).toBe("error: FILE is not a catalogue of rewards, and nothing was changed:");
    expect(problems.map((problem) => problem.trim().split(": ")[0])).toEqual([
      "reward 1 (mug) type",
      "reward 1 (mug) cost",
      "reward 2 (cap) stock",
      "reward 3 (pin) colour",
      "reward 4",
      "reward 5 (a b) id",
      "reward 5 (a b) imageUrl",
      "reward 6 (car) cost",
    ]);
    expect(err).toContain("stock: Missing");
    expect(err).toContain("colour: Unknown field");
    expect(await readCatalogue(target.table)).toEqual([reward("mug")]);
  });

  it("reports repeated reward ids", async () => {
    const { code, err } = await put([
      reward("mug"),
      reward("cap"),
      reward("mug"),
      reward("cap"),
      reward("pin"),
    ]);
    expect(code).toBe(1);
    expect(linesOf(err).slice(1)).toEqual([
      "  rewards 1, 3: All have the id mug",
      "  rewards 2, 4: All have the id cap",
    ]);
    expect(await readCatalogue(target.table)).toEqual([]);
  });

  it("rejects a catalogue that is not an array", async () => {
    expect(linesOf((await put({ rewards: [] })).err)[1]).toMatch(/Expected Array/);
  });

  it("prints one line for a file that is not JSON", async () => {
    const { code, err } = await put('[{"id": \n}]');
    expect(code).toBe(1);
    expect(err).toMatch(/^error: FILE is not JSON: Unexpected token .*\n$/);
  });

  it.each([
    ["is missing", (path: string) => join(path, "none.json"), "ENOENT"],
    ["is a folder", (path: string) => path, "EISDIR"],
  ])("prints one line for a file that %s", async (_, path, reason) => {
    const { code, err } = await run(target, ["put-rewards", path(folder)]);
    expect({ code, err }).toEqual({ code: 1, err: `error: ${path(folder)} cannot be read (${reason})\n` });
  });

  it("rejects a catalogue larger than one item and keeps the old one", async () => {
    await put([reward("mug")]);
    const description = "x".repeat(1000);
    const { code, out, err } = await put(
      Array.from({ length: 500 }, (_, index) => reward(`mug-${index}`, { description })),
    );
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/^error: The catalogue is too large: its 500 rewards .* 400 KB .*\n$/);
    expect(await readCatalogue(target.table)).toEqual([reward("mug")]);
  });
});

describe("the example rewards", () => {
  it("includes every reward type and sold-out, unavailable and unlimited ones among the example rewards", async () => {
    expect(await seedExamples(target)).toBe(true);
    const rewards = await readCatalogue(target.table);
    expect(new Set(rewards.map(({ type }) => type))).toEqual(new Set(rewardTypes));
    expect(rewards.some(({ stock, available }) => stock === 0 && available)).toBe(true);
    expect(rewards.some(({ stock }) => stock === -1)).toBe(true);
    expect(rewards.some(({ available }) => !available)).toBe(true);
    expect(rewards.every(({ imageUrl }) => imageUrl.startsWith("https://images.example/"))).toBe(true);
  });

  it.each([
    ["another catalogue", [reward("mug")]],
    ["an empty catalogue", []],
  ])("never replaces %s with the example rewards", async (_, rewards) => {
    await put(rewards);
    expect(await seedExamples(target)).toBe(false);
    expect(await readCatalogue(target.table)).toEqual(rewards);
  });

  it("stores the example rewards as one item, even when loaded twice at once", async () => {
    await Promise.all([seedExamples(target), seedExamples(target)]);
    const { Item } = await target.table.client.send(
      new GetCommand({ TableName: target.table.name, Key: catalogueKey }),
    );
    expect(Item?.rewards).toHaveLength(7);
  });
});
