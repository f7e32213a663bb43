import { DeleteCommand, NumberValue, PutCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { bindingOf, openVault, seal } from "../../../lib/aws/vault.ts";
import { messageOf } from "../../../lib/realtime/change-messages.ts";
import { readChange } from "../../../lib/realtime/read-change.ts";
import { queryRange } from "../../../lib/table/table.ts";
import { sealedKeyKey } from "../../../lib/table/wallet-keys.ts";
import { register } from "../../../lib/users/register.ts";
import { endExport, exportWallet } from "../../../lib/wallets/export/export-wallet.ts";
import {
  answerSealRequest,
  readSealRequest,
  type SealedExport,
} from "../../../lib/wallets/export/seal-export.ts";
import { type AnnouncedExport, newExportRequest } from "../../../lib/wallets/export/wallet-export.ts";
import { announcedTo, exportKey, isAnnouncedExport } from "../../../lib/wallets/item-keys.ts";
import { thumbprintOf } from "../../../lib/wallets/keys/sealing.ts";
import type { Wallet } from "../../../lib/wallets/wallet.ts";
import { readWalletEvents } from "../../../lib/wallets/wallet-events.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { itemsNamed } from "../../support/items.ts";
import { formsOf, newKey } from "../../support/keys.ts";
import { openKms } from "../../support/kms.ts";
import { exportKeyPair } from "../../support/sealing.ts";
import { streamRecord } from "../../support/stream.ts";
import { eventTypes, sealedWalletOf } from "../../support/wallets.ts";

const db = tableForTests();
const { kms, config } = openKms();
const vault = openVault(kms.ensureKey("wallets").arn, config);
const delaySeconds = 86_400;
const start = Date.parse("2026-11-22T10:00:00.000Z");
const [{ jwk: own }, { jwk: another }] = await Promise.all([exportKeyPair(), exportKeyPair()]);

const announcedItems = async (userID: string) =>
  (await queryRange<AnnouncedExport>(db.table, announcedTo(userID))).filter(isAnnouncedExport);

type Planted = Record<string, unknown>;

/**
 * An attacker with the rights of exportWallet's role, who writes any item in EXPORT# and sends any request to
 * sealExport. The owner sees published events.
 */
class Intruder {
  #nowMs = start;
  #announcedMs: number | undefined;
  #version: unknown;
  readonly wallet: Wallet;

  private constructor(wallet: Wallet) {
    this.wallet = wallet;
  }

  static async at(userID: string, network = "eth"): Promise<Intruder> {
    // Dates the import earlier, because events of the same millisecond have no order.
    const now = new Date(start - 1000);
    await register(db.table, { userID, names: [], ref: undefined }, now);
    const wallet = await sealedWalletOf(db.table, { vault, userID, made: newKey(network), now });
    return new Intruder(wallet);
  }

  get #name() {
    return { userID: this.wallet.UserID, walletId: this.wallet._id };
  }

  wait(seconds: number): void {
    this.#nowMs += seconds * 1000;
  }

  /** Plants a request that looks old enough and does not expire soon. */
  async plant(changes: Planted = {}): Promise<void> {
    const request = newExportRequest(this.wallet, { publicKey: own, delaySeconds: 0 }, new Date(start));
    const { userID, walletId } = this.#name;
    const Item = {
      ...request,
      requestedAt: "2020-01-01T00:00:00.000Z",
      expiresAt: 4_000_000_000,
      version: 1,
      ...changes,
      ...exportKey(userID, walletId),
    };
    await db.table.client.send(new PutCommand({ TableName: db.table.name, Item }));
  }

  async remove(): Promise<void> {
    const Key = exportKey(this.wallet.UserID, this.wallet._id);
    await db.table.client.send(new DeleteCommand({ TableName: db.table.name, Key }));
  }

  /** Requests the key. Returns whether it was exported. */
  async ask(more: object = {}): Promise<boolean> {
    return "ciphertext" in (await this.call(more));
  }

  /** Sends any request to sealExport. */
  async call(more: object = {}) {
    const deps = { table: db.table, vault, delaySeconds, onExport: () => {} };
    const request = readSealRequest({ ...this.#name, ...more });
    const answer = await answerSealRequest(deps, request, new Date(this.#nowMs));
    await this.#publish();
    return answer;
  }

  /** Cancels as the owner does. Returns the code of the response and the logged faults. */
  async ownerCancels(): Promise<{ code: string; faults: unknown[] }> {
    const faults: unknown[] = [];
    const withdraw = async () => (await this.call({ withdraw: true })) as { isWithdrawn: boolean };
    const deps = { table: db.table, withdraw, onFault: (error: unknown) => void faults.push(error) };
    const code = await endExport(deps, { ...this.#name, now: new Date(this.#nowMs) }).then(
      () => "cancelled",
      ({ code }) => code,
    );
    return { code, faults };
  }

  /** Requests an export as the owner does, with a public key. */
  async ownerAsks(publicKey: typeof own) {
    const seal = async () => (await this.call()) as SealedExport;
    const request = { ...this.#name, publicKey, now: new Date(this.#nowMs) };
    return exportWallet({ table: db.table, delaySeconds, seal }, request);
  }

  /** Returns the time since the current announcement was published to the owner, or -1 without one. */
  get announcedForSeconds(): number {
    return this.#announcedMs === undefined ? -1 : (this.#nowMs - this.#announcedMs) / 1000;
  }

  async #publish(): Promise<void> {
    for (const item of await announcedItems(this.wallet.UserID)) {
      if (readChange(streamRecord(item as never))?.of !== "export" || item.version === this.#version)
        continue;
      this.#version = item.version;
      this.#announcedMs = this.#nowMs;
    }
  }
}

describe("a taken-over exportWallet never gets a private key until the whole delay after the announcement is over", () => {
  it("gets no key immediately, even with forged dates", async () => {
    const intruder = await Intruder.at("planted");
    await intruder.plant();
    expect(await intruder.ask()).toBe(false);
    expect(intruder.announcedForSeconds).toBe(0);
    expect(await eventTypes(db.table, intruder.wallet)).toEqual(["exportRequested", "imported"]);
    intruder.wait(delaySeconds - 1);
    for (const field of ["seenAt", "availableAt"])
      await intruder.plant({ [field]: "2020-01-01T00:00:00.000Z" });
    expect(await intruder.ask()).toBe(false);
    intruder.wait(1);
    expect(await intruder.ask()).toBe(false);
    await intruder.plant();
    expect(await intruder.ask()).toBe(true);
    expect(intruder.announcedForSeconds).toBe(delaySeconds);
  });

  it("gets no key for a request that it changes after the announcement", async () => {
    const intruder = await Intruder.at("changed");
    await intruder.plant({ publicKey: another, thumbprint: "another" });
    expect(await intruder.ask()).toBe(false);
    expect(intruder.announcedForSeconds).toBe(-1);
    await intruder.plant();
    await intruder.ask();
    intruder.wait(delaySeconds);
    await intruder.plant({ publicKey: another });
    expect(await intruder.ask()).toBe(false);
    await intruder.plant({ version: 2 });
    expect(await intruder.ask()).toBe(false);
    expect(intruder.announcedForSeconds).toBe(0);
    await intruder.plant();
    expect(await intruder.ask()).toBe(false);
    expect(intruder.announcedForSeconds).toBe(0);
  });

  it("gets no key for a cancelled request, and cannot hide an announcement by deleting it", async () => {
    const intruder = await Intruder.at("withdrawn");
    await intruder.plant();
    await intruder.ask();
    await intruder.remove();
    const shown = await announcedItems(intruder.wallet.UserID);
    expect(shown).toHaveLength(1);
    expect(shown[0]).not.toHaveProperty("cancelledAt");
    intruder.wait(delaySeconds);
    await intruder.ask({ withdraw: true });
    await intruder.plant();
    expect(await intruder.ask()).toBe(false);
    expect(intruder.announcedForSeconds).toBe(0);
  });

  it("gets no key after the announcement has expired, and at most three before", async () => {
    const intruder = await Intruder.at("late");
    await intruder.plant();
    await intruder.ask();
    intruder.wait(2 * 86_400);
    expect(await intruder.ask()).toBe(false);
    expect(intruder.announcedForSeconds).toBe(0);
    intruder.wait(delaySeconds);
    for (const expected of [true, true, true, false]) expect(await intruder.ask()).toBe(expected);
  });

  it("gets no key by random actions until the whole delay after an announcement is over", async () => {
    const intruder = await Intruder.at("random");
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    let exported = 0;
    for (let acts = 0; acts < 100; acts++) {
      const act = random(8);
      if (act === 0) await intruder.plant({ version: random(2) });
      else if (act === 1 && random(4) === 0) await intruder.remove();
      else if (act === 2 && random(4) === 0) await intruder.ask({ withdraw: true });
      else if (act < 5) intruder.wait(random(40_000));
      else if (await intruder.ask()) {
        exported++;
        expect(intruder.announcedForSeconds).toBeGreaterThanOrEqual(delaySeconds);
      }
    }
    expect(exported).toBeGreaterThan(0);
  });
});

/** Items that no part of the service writes, because their fields differ from those of a proper request. */
const oddRequests: Record<string, Planted> = {
  "a version that is text": { version: "x" },
  "a version that JavaScript cannot represent": { version: NumberValue.from("1e100") },
  "a version that has no successor": { version: Number.MAX_SAFE_INTEGER },
  "no thumbprint": { thumbprint: undefined },
  sets: {
    thumbprint: new Set([thumbprintOf(own)]),
    version: new Set([NumberValue.from("9007199254740993")]),
  },
  "300 KB of text": { note: "x".repeat(300_000) },
  "300 KB of an address": { address: "x".repeat(300_000) },
};

describe("a taken-over exportWallet never prevents the owner's cancellation", () => {
  it.each(Object.entries(oddRequests))(
    "lets the owner cancel although it plants a request with %s",
    async (name, odd) => {
      const intruder = await Intruder.at(`odd-${name.replace(/\W/g, "")}`);
      await intruder.plant(odd);
      expect(await intruder.call()).toEqual({ refused: "EXPORT_NOT_FOUND" });
      expect(intruder.announcedForSeconds).toBe(-1);
      expect(await intruder.ownerCancels()).toEqual({ code: "EXPORT_NOT_FOUND", faults: [] });
      await intruder.plant();
      await intruder.ask();
      expect(intruder.announcedForSeconds).toBe(0);
      await intruder.plant(odd);
      expect(await intruder.ownerCancels()).toEqual({ code: "cancelled", faults: [] });
      await intruder.plant();
      intruder.wait(delaySeconds);
      expect(await intruder.ask()).toBe(false);
      // The owner's own request replaces the odd request.
      await intruder.plant(odd);
      const thumbprint = thumbprintOf(own);
      expect(await intruder.ownerAsks(own)).toMatchObject({ status: "pending", thumbprint });
    },
  );

  it("lets the owner cancel while the request cannot be read or written", async () => {
    const intruder = await Intruder.at("unreachable");
    await intruder.plant();
    await intruder.ask();
    const fault = new Error("the table is busy");
    const { table, name } = { table: db.table, name: intruder.wallet };
    const busy = { ...table, client: { send: () => Promise.reject(fault) } } as never;
    const faults: unknown[] = [];
    await endExport(
      {
        table: busy,
        withdraw: async () => (await intruder.call({ withdraw: true })) as { isWithdrawn: boolean },
        onFault: (error) => faults.push(error),
      },
      { userID: name.UserID, walletId: name._id, now: new Date(start) },
    );
    expect(faults).toEqual([fault]);
    intruder.wait(delaySeconds);
    expect(await intruder.ask()).toBe(false);
  });

  it("never claims that no export was requested if the request cannot be read", async () => {
    const fault = new Error("the table is busy");
    const table = { ...db.table, client: { send: () => Promise.reject(fault) } } as never;
    const deps = { table, withdraw: async () => ({ isWithdrawn: false }), onFault: () => expect.fail() };
    const ending = endExport(deps, { userID: "unread", walletId: "w", now: new Date(start) });
    await expect(ending).rejects.toBe(fault);
  });

  it("cannot prevent a cancellation by rapid withdrawals, announcements and rewrites", async () => {
    const intruder = await Intruder.at("busy");
    await intruder.plant();
    await intruder.ask();
    let isOver = false;
    const rewriting = async () => {
      for (let version = 2; !isOver; version++) {
        // Ignores failures of concurrent transactions on the request.
        await intruder.plant({ version }).catch(() => undefined);
        await intruder.ask().catch(() => undefined);
      }
    };
    const busy = [rewriting(), rewriting()];
    const { code } = await intruder.ownerCancels();
    isOver = true;
    await Promise.all(busy);
    expect(code).toBe("cancelled");
  });
});

describe("a taken-over exportWallet cannot redirect the owner's own export unnoticed", () => {
  it("shows the thumbprint of the intruder's key in the response, the announcement and the event", async () => {
    const intruder = await Intruder.at("redirected");
    const first = await intruder.ownerAsks(own);
    expect(first.thumbprint).toBe(thumbprintOf(own));
    await intruder.plant({ publicKey: another, thumbprint: thumbprintOf(another) });
    expect(await intruder.call()).toMatchObject({ thumbprint: thumbprintOf(another) });
    const [announced] = await announcedItems(intruder.wallet.UserID);
    const change = readChange(streamRecord(announced as never));
    if (change?.of !== "export") return expect.fail("nothing is published");
    expect(messageOf(change, new Date(start))).toMatchObject({ data: { thumbprint: thumbprintOf(another) } });
    const { UserID: userID, _id: walletId } = intruder.wallet;
    const { events } = await readWalletEvents(db.table, { userID, walletId }, { limit: 9 });
    expect(
      events
        .map(({ thumbprint }) => thumbprint)
        .filter(Boolean)
        .sort(),
    ).toEqual([own, another].map(thumbprintOf).sort());
  });
});

describe("sealExport announces at most three exports of a user a day, by its own count", () => {
  it("counts correctly whatever the caller plants, and starts again at midnight in UTC", async () => {
    const intruder = await Intruder.at("often");
    for (let version = 1; version <= 3; version++) {
      await intruder.plant({ version });
      expect(await intruder.call()).toHaveProperty("availableAt");
    }
    await intruder.plant({ version: 4 });
    for (const more of [{}, { withdraw: true }, {}]) {
      const answer = await intruder.call(more);
      expect(answer).toEqual(more.withdraw ? { isWithdrawn: true } : { refused: "ANNOUNCED_TOO_OFTEN" });
    }
    await intruder.remove();
    await expect(intruder.ownerAsks(own)).rejects.toMatchObject({ code: "EXPORT_LIMIT_REACHED" });
    // Moves the clock back and forth by a day.
    intruder.wait(-86_400);
    expect(await intruder.ownerAsks(own)).toHaveProperty("availableAt");
    intruder.wait(2 * 86_400);
    await intruder.plant({ version: 5 });
    expect(await intruder.call()).toHaveProperty("availableAt");
  });

  it("announces only three of six simultaneously requested exports", async () => {
    const intruder = await Intruder.at("at-once");
    const keys = await Promise.all(Array.from({ length: 6 }, () => exportKeyPair()));
    const answers = await Promise.allSettled(keys.map(({ jwk }) => intruder.ownerAsks(jwk)));
    for (const answer of answers)
      if (answer.status === "rejected") expect(answer.reason).toMatchObject({ code: "EXPORT_LIMIT_REACHED" });
    const announced = await itemsNamed(db.table, `EXPORTED#${intruder.wallet.UserID}`);
    expect(announced.find(({ SK }) => SK.startsWith("DAY#"))?.announcements).toBeLessThanOrEqual(3);
  });
});

describe("sealExport for a wallet whose key belongs to another address", () => {
  it.each(["eth", "sol"])("refuses to export on %s, counts nothing, and wipes the key", async (network) => {
    const intruder = await Intruder.at(`wrong-key-${network}`, network);
    await intruder.plant();
    await intruder.ask();
    const other = newKey(network);
    const sealed = await seal(vault, other.secret, bindingOf(intruder.wallet));
    const { UserID, generatedWalletAddress } = intruder.wallet;
    const Key = sealedKeyKey(UserID, network as "eth", generatedWalletAddress);
    const [item] = await itemsNamed(db.table, Key.SK);
    await db.table.client.send(new PutCommand({ TableName: db.table.name, Item: { ...item, ...sealed } }));
    intruder.wait(delaySeconds);
    const error = await intruder.ask().then(
      () => expect.fail("a wrong key was exported"),
      (thrown: Error) => thrown,
    );
    expect(error.name).toBe("WrongPrivateKey");
    for (const form of formsOf(other)) expect(JSON.stringify(error)).not.toContain(form);
    expect(await eventTypes(db.table, intruder.wallet)).not.toContain("exported");
  });
});
