import { startTestChain, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { SignRequest } from "../../../lib/orders/effects.ts";
import type { Item, Table } from "../../../lib/table/table.ts";
import { write } from "../../../lib/table/write.ts";
import { readSigning } from "../../../lib/trading/items/signing-view.ts";
import { writeStep } from "../../../lib/trading/items/write-step.ts";
import { register } from "../../../lib/users/register.ts";
import { policyOfWallet } from "../../../lib/wallets/change-policy.ts";
import type { ShownLock } from "../../../lib/wallets/export/export-lock.ts";
import { exportWallet } from "../../../lib/wallets/export/export-wallet.ts";
import { lockExports, lockOf, unlockExports } from "../../../lib/wallets/export/lock-exports.ts";
import {
  answerSealRequest,
  readSealRequest,
  type SealedExport,
} from "../../../lib/wallets/export/seal-export.ts";
import { changePolicy, loosenDue } from "../../../lib/wallets/loosen-guards.ts";
import type { PolicyText } from "../../../lib/wallets/policy-text.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { itemsNamed, putItems } from "../../support/items.ts";
import { newEvmKey, newKey } from "../../support/keys.ts";
import { exportKeyPair } from "../../support/sealing.ts";
import { openKeys } from "../../support/signing.ts";
import { openDesk, type TradingDesk } from "../../support/trading-desk.ts";
import { sealedWalletOf } from "../../support/wallets.ts";
import { run } from "./support/admin.ts";
import { targetWith } from "./support/custody.ts";

const db = tableForTests();
const keys = openKeys();
const { vault } = keys;
const { jwk: publicKey } = await exportKeyPair();
const delaySeconds = 86_400;
const noon = new Date("2026-11-22T12:00:00.000Z");
const hoursLater = (hours: number) => new Date(noon.getTime() + hours * 3_600_000);

let chain: TestChain;
let table: Table;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.close());
beforeEach(async () => {
  table = await db.newTable();
});

/** Copies all items into a new table, which has a different id, as a backup does. */
async function backupOf(source: Table): Promise<Table> {
  const backup = await db.newTable();
  await putItems(backup, await itemsNamed(source, ""));
  return backup;
}

/** Deletes items, and restores the rest of the table from the backup, except where that would loosen a guard. */
async function restoreInto(live: Table, backup: Table, lost: readonly Item[] = []): Promise<Table> {
  for (const { PK, SK } of lost) await write(live, { kind: "remove", key: { PK, SK } });
  const { code } = await run(targetWith(live), ["restore", backup.name, "--fix", "--exact", "--yes"]);
  expect(code).toBe(0);
  return live;
}

/** Returns the table that the service uses after a restore. An attacker knows everything in the backup. */
const ways: [string, (backup: Table, lost?: readonly Item[]) => Promise<Table>][] = [
  ["a backup that replaces the lost table", async (backup) => backup],
  ["a table after admin restore --exact", (backup, lost) => restoreInto(table, backup, lost)],
];

/** Puts items of the backup back, like a compromised function that may write their partitions. */
async function plant(restored: Table, backup: Table, ...names: string[]): Promise<void> {
  for (const name of names) await putItems(restored, await itemsNamed(backup, name));
}

const account = newEvmKey();
/** A trader's desk in a table. MACs name the table's id. */
const deskIn = (used: Table, userID: string) =>
  openDesk(used, chain, { userID, account, keys: { ...keys, macs: keys.macsOfTable(used.id ?? "") } });

describe.each(ways)("%s", (_, restored) => {
  describe("with an order that was signed after the backup", () => {
    let desk: TradingDesk;
    let backup: Table;
    let request: SignRequest;
    const order = [{ amount: "0.5" }, "used"] as const;

    /** Fills the order. The backup contains it as it was when the signer was asked. */
    beforeEach(async () => {
      await chain.restore();
      desk = await deskIn(table, "trader");
      await desk.place(...order);
      await desk.work(async (asked) => {
        request = asked;
        backup = await backupOf(table);
        return desk.signer(asked);
      });
      await chain.mine();
      await desk.settle();
      expect(await desk.held()).toBeGreaterThan(0n);
    });

    /** Expects that the wallet has the same coins and tokens after whatever executeOrders and its attacker can do. */
    async function expectNothingMoves(again: TradingDesk, attack: () => Promise<unknown>) {
      const before = await Promise.all([again.coins(), again.held()]);
      await attack();
      for (let blocks = 0; blocks < 4; blocks++) {
        await again.workLate();
        await chain.mine();
      }
      expect(await Promise.all([again.coins(), again.held()])).toEqual(before);
    }

    it("sends nothing for the old order and its signing request, at any nonce", async () => {
      const used = await restored(backup);
      await plant(used, backup, "TRADE#", " JOB#", "LANE#");
      const { slot } = (await readSigning(backup, { request, day: "" })).view;
      if (slot === undefined) return expect.fail("the backup has no slot");
      const again = await deskIn(used, "trader");
      await expectNothingMoves(again, async () => {
        // Tries the wallet's next nonce first, because the nonce of the old slot is used up on the chain.
        for (const place of [slot.place + 1, slot.place]) {
          await writeStep(used, [{ kind: "put", of: "slot", item: { ...slot, place }, when: "absent" }]);
          const answer = await again.signer({ ...request, place });
          if ("raw" in answer)
            await chain.request("eth_sendRawTransaction", [answer.raw]).catch(() => undefined);
        }
      });
    });

    it("places no second order for the old request with its idempotency key", async () => {
      const lost = [...(await itemsNamed(table, "TRADES#")), ...(await itemsNamed(table, "USEDKEYS#"))];
      const again = await deskIn(await restored(backup, lost), "trader");
      await expectNothingMoves(again, async () => {
        const answer = await again.ask(...order).catch((error: unknown) => error);
        expect(answer).not.toMatchObject({ isReplayed: false });
      });
    });
  });

  it("seals no key for an export announced before the restore, even if its delay was over", async () => {
    const owner = await ownerIn(table);
    await owner.ask();
    const backup = await backupOf(table);
    await owner.call({ ...owner.name, withdraw: true });
    const again = owner.movedTo(await restored(backup));
    await plant(again.table, backup, "EXPORT#");
    const later = { now: hoursLater(24) };
    expect(await again.call(again.name, later)).toMatchObject({ availableAt: hoursLater(48).toISOString() });
    expect(await again.ask(later)).toMatchObject({ status: "pending" });
  });

  it("does not unlock exports by an unlocking announced before the restore, even if its delay was over", async () => {
    const owner = await ownerIn(table);
    await owner.lock();
    await owner.unlock();
    const backup = await backupOf(table);
    await owner.lock();
    const again = owner.movedTo(await restored(backup));
    await plant(again.table, backup, "LOOSENINGS");
    await again.sweep(hoursLater(25));
    expect(await again.shown(hoursLater(25))).toMatchObject({ status: "locked" });
    await expect(again.ask({ now: hoursLater(25) })).rejects.toMatchObject({ code: "EXPORT_LOCKED" });
  });

  it("puts no looser policy in force that was pending", async () => {
    const owner = await ownerIn(table);
    const frozen = { tokens: "any", tradingEnabled: false } as const;
    await owner.setPolicy(frozen);
    await owner.setPolicy({ ...frozen, tradingEnabled: true });
    const backup = await backupOf(table);
    await owner.setPolicy(frozen);
    const again = owner.movedTo(await restored(backup));
    await plant(again.table, backup, "LOOSENINGS");
    await again.sweep(hoursLater(25));
    expect(await again.policy()).toEqual({ policy: frozen });
  });
});

describe("admin restore --exact", () => {
  it("keeps the idempotency keys of orders that were placed after the backup", async () => {
    await chain.restore();
    const desk = await deskIn(table, "trader");
    const backup = await backupOf(table);
    await desk.place({ amount: "0.5" }, "later");
    await desk.work();
    await chain.mine();
    await desk.settle();
    const again = await deskIn(await restoreInto(table, backup), "trader");
    await expect(again.ask({ amount: "0.5" }, "later")).rejects.toMatchObject({
      code: "IDEMPOTENCY_KEY_REUSED",
    });
  });
});

/** The owner of a wallet, and the functions that guard it, in a table. */
async function ownerIn(first: Table) {
  const userID = "owner";
  await register(first, { userID, names: [], ref: undefined }, noon);
  const { _id: walletId } = await sealedWalletOf(first, { vault, userID, made: newKey("eth"), now: noon });
  const name = { userID, walletId };
  const functionsIn = (used: Table) => {
    const sealing = { table: used, vault, delaySeconds, onExport: () => undefined };
    const call = (payload: object, { now = noon } = {}) =>
      answerSealRequest(sealing, readSealRequest(payload), now);
    return {
      name,
      table: used,
      movedTo: functionsIn,
      call,
      ask({ now = noon } = {}) {
        const seal = async (asked: object) => (await call(asked, { now })) as SealedExport;
        return exportWallet({ table: used, delaySeconds, seal }, { ...name, publicKey, now });
      },
      lock: () => lockExports(used, { userID, now: noon }),
      shown: (now: Date) => lockOf({ table: used, delaySeconds }, { userID, now }),
      unlock() {
        const announce = async (asked: object) => (await call(asked)) as ShownLock;
        return unlockExports({ table: used, delaySeconds, announce }, { userID, now: noon });
      },
      setPolicy: (asked: PolicyText, now = noon) =>
        changePolicy({ table: used }, { ...name, asked, signedInAt: now, now }),
      policy: () => policyOfWallet(used, name),
      async sweep(now: Date) {
        const faults: unknown[] = [];
        const deadline = new Date(Date.now() + 60_000);
        await loosenDue({ table: used, delaySeconds }, { now, deadline }, (error) => faults.push(error));
        expect(faults).toEqual([]);
      },
    };
  };
  return functionsIn(first);
}
