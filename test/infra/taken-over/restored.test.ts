import { describe, expect, it } from "vitest";
import { swapBy } from "../../../lib/chains/evm/rules/intent.ts";
import { lostItems, newerItems, undo } from "../../../lib/tools/admin/backup.ts";
import { itemsNamed, putItems } from "../../support/items.ts";
import { Theft } from "../../support/signed-bytes.ts";
import { slot, v2 } from "../../support/trading.ts";
import { Random } from "../../trading/model/random.ts";
import { desksForTests, nowMs, type SigningDesk } from "./desk.ts";
import { Intruder } from "./intruder.ts";

const openDesk = desksForTests();

/** Opens a desk that has signed an order at nonce 1, and a table in the state before that signature. */
async function afterSignature() {
  const [desk, { table: earlier }] = [await openDesk(), await openDesk()];
  expect(await askFor(desk, 1)).toHaveProperty("slot");
  return { desk, earlier };
}

/**
 * Asks the signer for a swap at a nonce, or for a transaction that clears it, as a compromised executor would that has
 * kept the order and forges a slot.
 */
function askFor(desk: SigningDesk, place: number, purpose: "swap" | "clear" = "swap") {
  const order = desk.named("ALICEBUYS");
  const { intent } = order;
  const planned = slot({ place, call: swapBy(intent, v2, intent.amount), isPrivate: false }, intent);
  const state = purpose === "clear" ? "signed" : "planned";
  return new Intruder(desk, () => true, new Random(1)).askWith(order, { ...planned, state }, { purpose });
}

const notGenuine = { refused: "the intent was not made by placeOrder" };

describe("the signer in a table restored from a backup", () => {
  it("signs no order twice, even if the ledger is older than the signature", async () => {
    const { desk, earlier } = await afterSignature();
    expect(await askFor(desk.movedTo(earlier, "restored"), 2)).toEqual(notGenuine);
    // Shows that the signer would sign twice if MACs did not name their table.
    await expect(askFor(desk.movedTo(earlier, "table"), 2)).rejects.toThrow(Theft);
  });

  it("frees only the nonces that the restored ledger names", async () => {
    const { desk, earlier } = await afterSignature();
    const restored = desk.movedTo(earlier, "restored");
    expect(await askFor(restored, 1, "clear")).toEqual(notGenuine);
    await putItems(earlier, await itemsNamed(desk.table, "SIGNED#"));
    expect(await askFor(restored, 1)).toEqual(notGenuine);
    expect(await askFor(restored, 2, "clear")).toEqual(notGenuine);
    expect(await askFor(restored, 1, "clear")).toHaveProperty("slot");
  });
});

describe("admin restore --fix --exact", () => {
  it("keeps the signer's records, so that no order is signed twice", async () => {
    const { desk, earlier } = await afterSignature();
    const { table } = desk;
    const signed = await itemsNamed(table, "SIGNED#");
    const comparison = { table, backup: earlier, isExact: true, now: new Date(nowMs) };
    for (const differences of [lostItems(comparison), newerItems(comparison)])
      for await (const difference of differences) await undo(comparison, difference);
    // The signer's records are the ledger and the day.
    expect(signed).toHaveLength(2);
    expect(await itemsNamed(table, "SIGNED#")).toEqual(signed);
    expect(await askFor(desk, 2)).toEqual({
      refused: "the order's swap was signed with another nonce or another call",
    });
  });
});
