import { DeleteCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { bindingOf, openVault, seal } from "../../../lib/aws/vault.ts";
import { readChange } from "../../../lib/realtime/read-change.ts";
import { register } from "../../../lib/users/register.ts";
import { addWallet } from "../../../lib/wallets/add-wallet.ts";
import { announcedOfUser } from "../../../lib/wallets/export/announced-exports.ts";
import { answerSealRequest, readSealRequest } from "../../../lib/wallets/export/seal-export.ts";
import { newExportRequest } from "../../../lib/wallets/export/wallet-export.ts";
import { exportKey } from "../../../lib/wallets/item-keys.ts";
import { newWallet, type Wallet } from "../../../lib/wallets/wallet.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { itemsNamed } from "../../support/items.ts";
import { newKey } from "../../support/keys.ts";
import { openKms } from "../../support/kms.ts";
import { exportKeyPair } from "../../support/sealing.ts";
import { streamRecord } from "../../support/stream.ts";
import { eventTypes, walletLimits } from "../../support/wallets.ts";

const db = tableForTests();
const { kms, config } = openKms();
const vault = openVault(kms.ensureKey("wallets").arn, config);
const delaySeconds = 86_400;
const start = Date.parse("2026-11-22T10:00:00.000Z");
const [{ jwk: own }, { jwk: another }] = await Promise.all([exportKeyPair(), exportKeyPair()]);

type Planted = Record<string, unknown>;

/**
 * An attacker with the rights of exportWallet's role: it writes any item in EXPORT#, and sends any request to
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

  static async at(userID: string): Promise<Intruder> {
    await register(db.table, { userID, names: [], ref: undefined }, new Date(start));
    const { network, address, secret } = newKey("eth");
    const wallet = newWallet("imported", {
      userID,
      network: network as "eth",
      address,
      now: new Date(start),
    });
    const sealKey = () => seal(vault, secret, bindingOf(wallet));
    const added = await addWallet(db.table, {
      wallet,
      seal: sealKey,
      limits: walletLimits,
      // Events of the same millisecond have no order.
      now: new Date(start - 1000),
    });
    return new Intruder(added.wallet);
  }

  get #name() {
    return { userID: this.wallet.UserID, walletId: this.wallet._id };
  }

  wait(seconds: number): void {
    this.#nowMs += seconds * 1000;
  }

  /** Plants a request that looks old enough, and does not expire soon. */
  async plant(changes: Planted = {}): Promise<void> {
    const request = newExportRequest(this.wallet, { publicKey: own, delaySeconds: 0 }, new Date(start));
    const old = { requestedAt: "2020-01-01T00:00:00.000Z", availableAt: "2020-01-02T00:00:00.000Z" };
    const { userID, walletId } = this.#name;
    const Item = {
      ...request,
      ...old,
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
    const deps = { table: db.table, vault, delaySeconds, onExport: () => {} };
    const request = readSealRequest({ ...this.#name, ...more });
    const answer = await answerSealRequest(deps, request, new Date(this.#nowMs));
    await this.#publish();
    return "ciphertext" in answer;
  }

  /** The time since the current announcement was published to the owner. -1 without one. */
  get announcedForSeconds(): number {
    return this.#announcedMs === undefined ? -1 : (this.#nowMs - this.#announcedMs) / 1000;
  }

  async #publish(): Promise<void> {
    for (const item of await itemsNamed(db.table, `EXPORTED#${this.wallet.UserID}`)) {
      if (readChange(streamRecord(item))?.of !== "export" || item.version === this.#version) continue;
      this.#version = item.version;
      this.#announcedMs = this.#nowMs;
    }
  }
}

describe("a taken-over exportWallet never gets a private key before a whole delay after the announcement", () => {
  it("gets no key at once, whatever dates it plants", async () => {
    const intruder = await Intruder.at("planted");
    await intruder.plant();
    expect(await intruder.ask()).toBe(false);
    expect(intruder.announcedForSeconds).toBe(0);
    expect(await eventTypes(db.table, intruder.wallet)).toEqual(["exportRequested", "imported"]);
    intruder.wait(delaySeconds - 1);
    await intruder.plant({ seenAt: "2020-01-01T00:00:00.000Z" });
    expect(await intruder.ask()).toBe(false);
    intruder.wait(1);
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
    const shown = await announcedOfUser(db.table, intruder.wallet.UserID);
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

  it("gets no key by random acts, except a whole delay after an announcement", async () => {
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
