import { NumberValue, PutCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { openVault } from "../../../lib/aws/vault.ts";
import { messageOf, type StreamedChange } from "../../../lib/realtime/change-messages.ts";
import { readChange } from "../../../lib/realtime/read-change.ts";
import type { Key } from "../../../lib/table/keys.ts";
import { readItem, type Table } from "../../../lib/table/table.ts";
import { register } from "../../../lib/users/register.ts";
import { announcedToUser } from "../../../lib/wallets/export/announced-exports.ts";
import type { ShownLock } from "../../../lib/wallets/export/export-lock.ts";
import { exportWallet } from "../../../lib/wallets/export/export-wallet.ts";
import { lockExports, lockOf, unlockExports } from "../../../lib/wallets/export/lock-exports.ts";
import {
  answerSealRequest,
  readSealRequest,
  type SealedExport,
} from "../../../lib/wallets/export/seal-export.ts";
import { endedLockKey, lockKey, unlockRequestKey } from "../../../lib/wallets/item-keys.ts";
import { loosenDue } from "../../../lib/wallets/loosen-guards.ts";
import { retireWallet } from "../../../lib/wallets/retire-wallet.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { itemsNamed, putItems } from "../../support/items.ts";
import { newKey } from "../../support/keys.ts";
import { openKms } from "../../support/kms.ts";
import { exportKeyPair } from "../../support/sealing.ts";
import { streamRecord } from "../../support/stream.ts";
import { eventTypes, sealedWalletOf, walletLimits } from "../../support/wallets.ts";

const db = tableForTests();
const { kms, config } = openKms();
const vault = openVault(kms.ensureKey("wallets").arn, config);
const delaySeconds = 86_400;
const start = Date.parse("2026-11-22T10:00:00.000Z");
const { jwk: publicKey } = await exportKeyPair();

/** A user with a wallet, and a clock that all functions share. */
class Owner {
  readonly userID: string;
  readonly walletId: string;
  nowMs = start;
  /** Runs while KMS decrypts. */
  meanwhile: () => Promise<unknown> = async () => undefined;
  /** The table that all functions use. */
  table: Table = db.table;

  private constructor(userID: string, walletId: string) {
    this.userID = userID;
    this.walletId = walletId;
  }

  static async named(userID: string): Promise<Owner> {
    const now = new Date(start - 1000);
    await register(db.table, { userID, names: [], ref: undefined }, now);
    const { _id } = await sealedWalletOf(db.table, { vault, userID, made: newKey("eth"), now });
    return new Owner(userID, _id);
  }

  get #named() {
    return { userID: this.userID, now: new Date(this.nowMs) };
  }

  wait(seconds: number): void {
    this.nowMs += seconds * 1000;
  }

  /** Sends any request to sealExport. */
  async call(payload: object) {
    const send = async (command: never) => {
      await this.meanwhile();
      return vault.client.send(command);
    };
    const slow = { ...vault, client: { send } as never };
    const deps = { table: this.table, vault: slow, delaySeconds, onExport: () => {} };
    return answerSealRequest(deps, readSealRequest(payload), new Date(this.nowMs));
  }

  ask() {
    const seal = async (name: object) => (await this.call(name)) as SealedExport;
    const request = { ...this.#named, walletId: this.walletId, publicKey };
    return exportWallet({ table: this.table, delaySeconds, seal }, request);
  }

  lock = () => lockExports(this.table, this.#named);
  shown = () => lockOf({ table: this.table, delaySeconds }, this.#named);

  unlock() {
    const announce = async (request: object) => (await this.call(request)) as ShownLock;
    return unlockExports({ table: this.table, delaySeconds, announce }, this.#named);
  }

  announced = () => announcedToUser(this.table, this.userID, new Date(this.nowMs));

  async published(partition: "LOCK" | "EXPORTED") {
    const items = await itemsNamed(this.table, `${partition}#${this.userID} `);
    const lock = items.find(({ SK }) => SK === "LOCK" || SK === "UNLOCKING");
    const change = lock && readChange(streamRecord(lock));
    return change && messageOf(change as StreamedChange, new Date(this.nowMs));
  }
}

const iso = (ms: number) => new Date(ms).toISOString();
const locked = { code: "EXPORT_LOCKED", details: {} };
const put = (key: Key, content: object) =>
  db.table.client.send(new PutCommand({ TableName: db.table.name, Item: { ...content, ...key } }));

describe("lockExports", () => {
  it("ends a pending export for good, and prevents other exports from being announced", async () => {
    const owner = await Owner.named("pending");
    await owner.ask();
    expect((await owner.announced()).exports).toHaveLength(1);
    expect(await owner.lock()).toEqual({ status: "locked", lockedAt: iso(start) });
    expect(await owner.announced()).toMatchObject({ exports: [], lock: { status: "locked" } });
    await expect(owner.ask()).rejects.toMatchObject(locked);
    owner.wait(delaySeconds);
    await expect(owner.ask()).rejects.toMatchObject(locked);
    await owner.unlock();
    owner.wait(delaySeconds - 1);
    const unlocksAt = iso(start + 2 * delaySeconds * 1000);
    await expect(owner.ask()).rejects.toMatchObject({ code: "EXPORT_LOCKED", details: { unlocksAt } });
    owner.wait(1);
    // Without the lock, the old announcement would take effect now.
    expect(await owner.ask()).toMatchObject({
      status: "pending",
      availableAt: iso(owner.nowMs + 86_400_000),
    });
    owner.wait(delaySeconds);
    expect(await owner.ask()).toMatchObject({ status: "ready" });
  });

  it("voids earlier announcements even if exports are unlocked before those announcements expire", async () => {
    const owner = await Owner.named("void");
    await owner.ask();
    await owner.lock();
    await owner.unlock();
    owner.wait(delaySeconds);
    expect(await owner.shown()).toEqual({ status: "unlocked" });
    expect((await owner.announced()).exports).toEqual([]);
    expect(await owner.ask()).toMatchObject({ status: "pending" });
  });

  it("cancels a pending unlocking", async () => {
    const owner = await Owner.named("again");
    await owner.lock();
    const unlocksAt = iso(start + delaySeconds * 1000);
    expect(await owner.unlock()).toEqual({ status: "unlocking", lockedAt: iso(start), unlocksAt });
    owner.wait(60);
    // A repeated request does not restart the delay.
    expect(await owner.unlock()).toMatchObject({ unlocksAt });
    await owner.lock();
    owner.wait(delaySeconds);
    expect(await owner.shown()).toEqual({ status: "locked", lockedAt: iso(start + 60_000) });
    await expect(owner.ask()).rejects.toMatchObject(locked);
  });

  it("publishes a lock and an announced unlocking to the user", async () => {
    const owner = await Owner.named("published");
    expect(await owner.published("LOCK")).toBeUndefined();
    await owner.lock();
    const lockedAt = iso(start);
    const message = { type: "ExportLockUpdated", time: lockedAt };
    expect(await owner.published("LOCK")).toEqual({ ...message, data: { status: "locked", lockedAt } });
    await owner.unlock();
    const data = { status: "unlocking", lockedAt, unlocksAt: iso(start + delaySeconds * 1000) };
    expect(await owner.published("EXPORTED")).toEqual({ ...message, data });
    await put(lockKey(owner.userID), { userID: "mallory", lockId: 1 });
    expect(await owner.published("LOCK")).toEqual({ ...message, data: { status: "locked" } });
  });

  it("stops an export whose key is being sealed", async () => {
    const owner = await Owner.named("sealing");
    await owner.ask();
    owner.wait(delaySeconds);
    owner.meanwhile = owner.lock;
    await expect(owner.ask()).rejects.toMatchObject(locked);
    const { userID: UserID, walletId: _id } = owner;
    expect(await eventTypes(db.table, { UserID, _id } as never)).not.toContain("exported");
  });

  it("locks exports whether the lock or an announcement comes first", async () => {
    const owners = await Promise.all(Array.from({ length: 4 }, (_, index) => Owner.named(`race-${index}`)));
    await Promise.all(owners.map((owner) => Promise.allSettled([owner.ask(), owner.lock(), owner.ask()])));
    for (const owner of owners) {
      owner.wait(delaySeconds);
      await expect(owner.ask()).rejects.toMatchObject(locked);
    }
  });

  it("needs no announcement, wallet or earlier lock, and merges two simultaneous locks", async () => {
    const owner = await Owner.named("twice");
    await Promise.all([owner.lock(), owner.lock()]);
    await Promise.all([owner.unlock(), owner.unlock()]);
    expect(await owner.shown()).toMatchObject({ status: "unlocking" });
    owner.wait(delaySeconds);
    expect(await owner.ask()).toMatchObject({ status: "pending" });
  });
});

describe("unlockExports", () => {
  it("changes nothing for a user who has never locked", async () => {
    const owner = await Owner.named("never");
    expect(await owner.unlock()).toEqual({ status: "unlocked" });
    expect(await itemsNamed(db.table, `LOCK#${owner.userID} `)).toEqual([]);
  });

  it("waits longer if the configured delay was increased in the meantime", async () => {
    const owner = await Owner.named("grown");
    await owner.lock();
    await owner.unlock();
    const deps = { table: db.table, delaySeconds: 2 * delaySeconds };
    const now = new Date(start + delaySeconds * 1000);
    expect(await lockOf(deps, { userID: owner.userID, now })).toMatchObject({
      status: "unlocking",
      unlocksAt: iso(start + 2 * delaySeconds * 1000),
    });
  });
});

describe("an older copy of the table", () => {
  /** Copies a user's items into a table with a different id, like a restored table. */
  async function copyOf(owner: Owner): Promise<Table> {
    const copied = await db.newTable();
    await putItems(copied, await itemsNamed(owner.table, owner.userID));
    return copied;
  }

  it("never revives a cancelled export in an older copy of the table", async () => {
    const owner = await Owner.named("revived");
    await owner.ask();
    const older = await copyOf(owner);
    const name = { userID: owner.userID, walletId: owner.walletId };
    expect(await owner.call({ ...name, withdraw: true })).toEqual({ isWithdrawn: true });
    await owner.lock();
    owner.table = older;
    owner.wait(delaySeconds);
    expect((await owner.announced()).exports).toEqual([]);
    // Announces the export again, with the whole delay.
    const availableAt = iso(owner.nowMs + delaySeconds * 1000);
    expect(await owner.call(name)).toMatchObject({ availableAt });
  });

  it("keeps a lock until its end is announced in this table", async () => {
    const owner = await Owner.named("relocked");
    await owner.lock();
    await owner.unlock();
    owner.table = await copyOf(owner);
    owner.wait(delaySeconds);
    expect(await owner.shown()).toMatchObject({ status: "locked" });
    await expect(owner.ask()).rejects.toMatchObject(locked);
    expect(await owner.unlock()).toMatchObject({ status: "unlocking" });
    expect(await owner.published("EXPORTED")).toMatchObject({ data: { status: "unlocking" } });
    owner.wait(delaySeconds);
    expect(await owner.shown()).toEqual({ status: "unlocked" });
  });

  it("trusts no announcement if the table has no id", async () => {
    const owner = await Owner.named("nameless");
    owner.table = { ...db.table, id: undefined };
    await owner.lock();
    await owner.unlock();
    owner.wait(delaySeconds);
    expect(await owner.shown()).toMatchObject({ status: "locked" });
  });
});

describe("loosenDue with a pending unlocking", () => {
  const sweep = (owner: Owner) =>
    loosenDue(
      { table: db.table, delaySeconds },
      { now: new Date(owner.nowMs), deadline: new Date(Date.now() + 60_000) },
      (error) => {
        throw error;
      },
    );
  const ended = (owner: Owner) => readItem(db.table, endedLockKey(owner.userID));

  it("announces once that an unlocking has taken effect", async () => {
    const owner = await Owner.named("ended");
    await owner.lock();
    await owner.unlock();
    owner.wait(delaySeconds - 1);
    await sweep(owner);
    expect(await ended(owner)).toBeUndefined();
    owner.wait(2);
    await sweep(owner);
    expect(await ended(owner)).toMatchObject({ userID: owner.userID, endedAt: iso(owner.nowMs) });
    expect(await itemsNamed(db.table, `#${owner.userID}#LOCK`)).toEqual([]);
  });

  it("announces no unlocking that a later lock has cancelled", async () => {
    const owner = await Owner.named("voided");
    await owner.lock();
    await owner.unlock();
    await owner.lock();
    owner.wait(delaySeconds + 1);
    await sweep(owner);
    expect(await ended(owner)).toBeUndefined();
  });
});

describe("a lock that cannot be read", () => {
  const lockId = "6f7a1d1e-6f64-4b44-8a1c-0b1e0a4f8a11";
  it.each<[string, object]>([
    ["nothing", {}],
    ["an id that is no UUID", { lockId: "x", lockedAt: iso(start) }],
    ["a set of ids", { lockId: new Set([lockId]), lockedAt: iso(start) }],
    ["no time", { lockId }],
    ["an unknown field", { lockId, lockedAt: iso(start), unlocksAt: iso(0) }],
    ["a number beyond 2^53", { lockId, lockedAt: NumberValue.from("1e100") }],
    ["300 KB", { lockId, lockedAt: "x".repeat(300_000) }],
  ])("keeps an unreadable lock with %s until a new lock replaces it", async (name, content) => {
    const owner = await Owner.named(`odd-${name.replace(/\W/g, "")}`);
    await owner.ask();
    await put(lockKey(owner.userID), content);
    await put(unlockRequestKey(owner.userID), { userID: owner.userID, lockId });
    owner.wait(delaySeconds);
    expect(await owner.shown()).toEqual({ status: "locked" });
    expect(await owner.unlock()).toEqual({ status: "locked" });
    expect(await owner.call({ userID: owner.userID, unlock: true })).toEqual({ status: "locked" });
    await expect(owner.ask()).rejects.toMatchObject(locked);
    await owner.lock();
    expect(await owner.unlock()).toMatchObject({ status: "unlocking" });
  });
});

describe("an intruder in another function", () => {
  it("cannot unlock by calling sealExport with the rights of exportWallet and cancelExport", async () => {
    const owner = await Owner.named("caller");
    await owner.lock();
    const unlock = { userID: owner.userID, unlock: true, walletId: owner.walletId };
    expect(await owner.call(unlock)).toMatchObject({ status: "locked" });
    // Ignores a request for an earlier lock.
    await owner.unlock();
    await owner.lock();
    expect(await owner.call(unlock)).toMatchObject({ status: "locked" });
    owner.wait(delaySeconds);
    expect(await owner.shown()).toMatchObject({ status: "locked" });
  });

  it.each([undefined, "x", 1, new Set(["x"])])(
    "cannot unlock with a request that has the id %s",
    async (lockId) => {
      const owner = await Owner.named(`request-${String(lockId).replace(/\W/g, "")}`);
      await owner.lock();
      await put(unlockRequestKey(owner.userID), { lockId });
      expect(await owner.call({ userID: owner.userID, unlock: true })).toMatchObject({ status: "locked" });
    },
  );
});

describe("an export and a retirement at the same time", () => {
  it("exports the key only if the wallet is still active", async () => {
    const owner = await Owner.named("retiring");
    await owner.ask();
    owner.wait(delaySeconds);
    const { userID, walletId } = owner;
    const retire = () =>
      retireWallet(
        {
          table: db.table,
          limits: walletLimits,
          wake: async () => {},
          endResting: async () => {},
        },
        { userID, walletId, now: new Date(owner.nowMs) },
      );
    owner.meanwhile = retire;
    await expect(owner.ask()).rejects.toMatchObject({ code: "WALLET_NOT_FOUND" });
    expect(await eventTypes(db.table, { UserID: userID, _id: walletId } as never)).not.toContain("exported");
  });
});
