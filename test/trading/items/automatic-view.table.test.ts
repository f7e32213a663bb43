import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { describe, expect, it } from "vitest";
import { type BookKey, emptyBook, rebooked } from "../../../lib/orders/book.ts";
import type { Execution } from "../../../lib/orders/execution.ts";
import type { BookEvent } from "../../../lib/orders/holding.ts";
import { readOwned } from "../../../lib/trading/items/automatic-view.ts";
import { saveExecution } from "../../../lib/trading/items/execution-records.ts";
import { executionKey } from "../../../lib/trading/items/keys.ts";
import { writeStep } from "../../../lib/trading/items/write-step.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { order, position } from "../../support/executions.ts";
import { interceptedTable } from "../../support/intercepted-table.ts";
import { putItems } from "../../support/items.ts";
import { putWallet } from "../../support/placed-orders.ts";

const db = tableForTests();
const { moon: token, star } = localAddresses;
const chain = "base";
const nothing = { positionId: undefined, isBuying: false };

let count = 0;
const newUser = () => ({ userID: `owner-${++count}`, chain, token }) as const;
type Owner = ReturnType<typeof newUser>;

const bought = (settled: boolean): BookEvent => ({
  kind: "buy",
  orderId: "o",
  place: 1,
  settled,
  time: "2026-11-29T00:00:00.000Z",
  networkFee: 0n,
  spent: 1n,
  received: 1000n,
});

/** Lets a user hold the token in a wallet of a chain. */
async function hold({ userID }: Owner, wallet: string, changes: Partial<BookKey> = {}) {
  const key: BookKey = { userID, chain, wallet, token, ...changes };
  await putWallet(db.table, key, userID);
  const empty = emptyBook(key, { symbol: "MOON/ETH", decimals: 18 });
  const { book } = rebooked(empty, "o", [bought(true)], Date.now());
  await writeStep(db.table, [{ kind: "put", of: "book", item: book, when: "absent" }]);
  return book.positions[0]?.positionId;
}

const report = (userID: string, kind: "order" | "position", execution: Execution) =>
  saveExecution(db.table, { userID, kind, execution, now: new Date() });

describe("readOwned", () => {
  it("finds a position of the token in any of the user's wallets on the chain", async () => {
    const owner = newUser();
    expect(await readOwned(db.table, owner)).toEqual(nothing);
    await hold(owner, "0xA", { token: star });
    await hold(owner, "0xA", { chain: "eth" });
    await hold({ ...newUser() }, "0xA");
    expect(await readOwned(db.table, owner)).toEqual(nothing);
    await putWallet(db.table, { chain, wallet: "0xB" }, owner.userID);
    const positionId = await hold(owner, "0xC");
    expect(await readOwned(db.table, owner)).toEqual({ positionId, isBuying: false });
  });

  it("finds what other engines have open, however they write the address, until they close it", async () => {
    const owner = newUser();
    const { userID } = owner;
    const lower = { chain, token: token.toLowerCase() } as const;
    await report(userID, "order", order({ ...lower, side: "sell" }));
    expect(await readOwned(db.table, owner)).toEqual(nothing);
    await report(userID, "order", order({ ...lower, orderId: "o2", status: "partially_filled" }));
    expect(await readOwned(db.table, owner)).toEqual({ ...nothing, isBuying: true });
    await report(userID, "order", order({ ...lower, orderId: "o2", status: "filled", version: 2 }));
    expect(await readOwned(db.table, owner)).toEqual(nothing);
    await report(userID, "position", position({ chain, token }));
    expect(await readOwned(db.table, owner)).toEqual({ ...nothing, positionId: "p1" });
    await report(userID, "position", position({ chain, token: star, version: 2 }));
    expect(await readOwned(db.table, owner)).toEqual(nothing);
    await report(userID, "position", position({ chain, token, version: 3, status: "closed" }));
    expect(await readOwned(db.table, owner)).toEqual(nothing);
  });

  it("reads as little of a trader with many positions as of a new one", async () => {
    const owner = newUser();
    let units = 0;
    const asked: QueryCommand[] = [];
    const table = interceptedTable(db.table, (command) => {
      if (command instanceof QueryCommand) asked.push(command);
    });
    const many = Array.from({ length: 50 }, (_, index) => `p${index}`);
    const note = "x".repeat(2000);
    await putItems(
      db.table,
      many.map((id) => ({
        ...executionKey(owner.userID, "position", id),
        ...position({ chain, token, status: "closed" }),
        note,
      })),
    );
    await readOwned(table, owner);
    for (const { input } of asked) {
      const counting = new QueryCommand({ ...input, ReturnConsumedCapacity: "TOTAL" });
      units += (await db.table.client.send(counting)).ConsumedCapacity?.CapacityUnits ?? 0;
    }
    expect(units).toBeLessThanOrEqual(asked.length);
  });
});
