import { PutCommand } from "@aws-sdk/lib-dynamodb";
import bs58 from "bs58";
import { describe, expect, it } from "vitest";
import { openVault } from "../../../lib/aws/vault.ts";
import { sealedKeyKey, walletKey } from "../../../lib/table/wallet-keys.ts";
import { register } from "../../../lib/users/register.ts";
import { endExport, exportWallet } from "../../../lib/wallets/export/export-wallet.ts";
import { sealExport, withdrawExport } from "../../../lib/wallets/export/seal-export.ts";
import { exportedKeyKey, exportKey } from "../../../lib/wallets/item-keys.ts";
import { thumbprintOf } from "../../../lib/wallets/keys/sealing.ts";
import { retireWallet } from "../../../lib/wallets/retire-wallet.ts";
import type { Wallet } from "../../../lib/wallets/wallet.ts";
import { readWallet } from "../../../lib/wallets/wallet-records.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { itemsNamed } from "../../support/items.ts";
import { type Key, newKey } from "../../support/keys.ts";
import { openKms } from "../../support/kms.ts";
import { exportKeyPair } from "../../support/sealing.ts";
import { eventTypes, sealedWalletOf, walletLimits } from "../../support/wallets.ts";

const db = tableForTests();
const { kms, config } = openKms();
const vault = openVault(kms.ensureKey("wallets").arn, config);
const delaySeconds = 3600;
const start = new Date("2026-11-22T10:00:00.000Z");
const secondsOn = (seconds: number, from = start) => new Date(from.getTime() + seconds * 1000);

let users = 0;
const noted: unknown[] = [];

/** Creates a user with a wallet, and functions that send requests for it. */
async function holder(made: Key = newKey("eth")) {
  const userID = `exporter-${users++}`;
  await register(db.table, { userID, names: [], ref: undefined }, start);
  const wallet = await hold(userID, made);
  return { ...exporterOf(wallet), made };
}

// Dates the wallet before all other events.
const hold = (userID: string, made: Key) =>
  sealedWalletOf(db.table, { vault, userID, made, now: secondsOn(-1) });

function exporterOf(wallet: Wallet) {
  const name = { userID: wallet.UserID, walletId: wallet._id };
  const sealing = (now: Date, seconds = delaySeconds) =>
    sealExport(
      { table: db.table, vault, delaySeconds: seconds, onExport: (note) => noted.push(note) },
      name,
      now,
    );
  return {
    wallet,
    name,
    sealing,
    ask: (publicKey: Parameters<typeof exportWallet>[1]["publicKey"], now: Date) =>
      exportWallet({ table: db.table, delaySeconds, seal: () => sealing(now) }, { ...name, publicKey, now }),
    cancel: (now: Date) =>
      endExport(
        {
          table: db.table,
          withdraw: () => withdrawExport(db.table, name, now),
          onFault: (error) => expect.fail(String(error)),
        },
        { ...name, now },
      ),
  };
}

const codeOf = (request: Promise<unknown>) =>
  request.then(
    (answer) => expect.fail(`it was answered: ${JSON.stringify(answer)}`),
    ({ code }) => code,
  );

describe("exportWallet", () => {
  it.each(["eth", "avax", "sol"])(
    "returns the key of a wallet on %s after the delay, sealed to its user's key",
    async (network) => {
      const { wallet, name, ask, made } = await holder(newKey(network));
      const { jwk, open } = await exportKeyPair();
      const availableAt = secondsOn(delaySeconds).toISOString();
      const pending = { status: "pending", availableAt, thumbprint: thumbprintOf(jwk) };
      expect(await ask(jwk, start)).toEqual(pending);
      expect(await ask({ ...jwk, kty: "EC" }, secondsOn(3599))).toEqual(pending);
      const ready = await ask(jwk, secondsOn(3600));
      if (ready.status !== "ready") return expect.fail("it is not ready");
      const bytes = await open(ready, { network, ...name });
      const expected =
        network === "sol" ? Buffer.concat([made.secret, bs58.decode(made.address)]) : made.secret;
      expect(bytes).toEqual(expected);
      expect(await eventTypes(db.table, wallet)).toEqual(["exported", "exportRequested", "imported"]);
      expect(noted.at(-1)).toMatchObject({ walletId: wallet._id });
    },
  );

  it("returns the same response to a repeated request, and returns a ready key at most three times", async () => {
    const { ask, name } = await holder();
    const { jwk, open } = await exportKeyPair();
    const all = await Promise.all([ask(jwk, start), ask(jwk, start)]);
    expect(all[0]).toEqual(all[1]);
    for (let times = 0; times < 3; times++) {
      const ready = await ask(jwk, secondsOn(4000 + times));
      if (ready.status !== "ready") return expect.fail("it is not ready");
      expect(await open(ready, { network: "eth", ...name })).toHaveLength(32);
    }
    // Unlike the announcement, the record of the last export never expires.
    expect(await itemsNamed(db.table, `EXPORTED#${name.userID}`)).toContainEqual({
      ...exportedKeyKey(name.userID, name.walletId),
      walletId: name.walletId,
      exportedAt: secondsOn(4002).toISOString(),
    });
    await expect(ask(jwk, secondsOn(4010))).rejects.toMatchObject({
      code: "EXPORT_LIMIT_REACHED",
      message: expect.stringContaining("3 times for this request"),
    });
  });

  it("increases versions even if the clock stands still or is set back", async () => {
    const { ask, cancel, name } = await holder();
    const keys = await Promise.all([1, 2, 3].map(() => exportKeyPair()));
    const all: number[][] = [[], []];
    for (const [index, { jwk }] of keys.entries()) {
      await ask(jwk, secondsOn(-index));
      for (const [kind, partition] of ["EXPORT", "EXPORTED"].entries()) {
        const items = await itemsNamed(db.table, `${partition}#${name.userID}`);
        all[kind]?.push(Number(items.find(({ walletId }) => walletId !== undefined)?.version));
      }
      await cancel(secondsOn(-index));
    }
    for (const versions of all)
      expect(versions).toEqual([...new Set(versions)].toSorted((one, other) => one - other));
  });

  it("starts over if the request has a different key, or a day after the export was ready", async () => {
    const { ask } = await holder();
    const [first, second] = await Promise.all([exportKeyPair(), exportKeyPair()]);
    await ask(first.jwk, start);
    const later = secondsOn(3000);
    const availableAt = secondsOn(delaySeconds, later).toISOString();
    const pending = { status: "pending", availableAt, thumbprint: thumbprintOf(second.jwk) };
    expect(await ask(second.jwk, later)).toEqual(pending);
    expect(await ask(second.jwk, secondsOn(3600))).toEqual(pending);
    const late = secondsOn(delaySeconds + 86_400, later);
    expect(await ask(second.jwk, late)).toMatchObject({ status: "pending" });
  });

  it("accepts three requests of a user a day, not counting repetitions", async () => {
    const { ask, wallet } = await holder();
    const keys = await Promise.all([1, 2, 3, 4].map(() => exportKeyPair()));
    const other = exporterOf(await hold(wallet.UserID, newKey("base")));
    for (const { jwk } of keys.slice(0, 2)) for (const _ of [1, 2]) await ask(jwk, start);
    await other.ask(keys[2]?.jwk ?? expect.fail(), start);
    const [, , , last] = keys;
    await expect(ask(last?.jwk ?? expect.fail(), start)).rejects.toMatchObject({
      code: "EXPORT_LIMIT_REACHED",
      details: { limit: 3 },
    });
    expect(await ask(last?.jwk ?? expect.fail(), new Date("2026-11-23T00:00:00.000Z"))).toMatchObject({
      status: "pending",
    });
  });

  it("finds neither retired wallets nor other users' wallets", async () => {
    const [one, other] = [await holder(), await holder()];
    const { jwk } = await exportKeyPair();
    const foreign = { ...one.name, walletId: other.name.walletId, publicKey: jwk, now: start };
    const deps = { table: db.table, delaySeconds, seal: () => expect.fail() };
    expect(await codeOf(exportWallet(deps, foreign))).toBe("WALLET_NOT_FOUND");
    await retire(one.wallet);
    expect(await codeOf(one.ask(jwk, start))).toBe("WALLET_NOT_FOUND");
    expect(await itemsNamed(db.table, `EXPORT#${one.name.userID}`)).toEqual([]);
  });

  it("exports a wallet that is retired at the same time with an event, or not at all", async () => {
    for (let round = 0; round < 3; round++) {
      const { ask, sealing, wallet } = await holder();
      await ask((await exportKeyPair()).jwk, start);
      const due = secondsOn(4000);
      const [sealed] = await Promise.all([sealing(due), retire(wallet)]);
      const types = await eventTypes(db.table, wallet);
      expect(types).toContain("retired");
      expect(types.includes("exported")).toBe("ciphertext" in sealed);
      expect(await sealing(due)).toEqual({ refused: "WALLET_NOT_FOUND" });
    }
  });

  it("rejects a point that is not on the curve", async () => {
    const { ask, name } = await holder();
    const [{ jwk }, other] = await Promise.all([exportKeyPair(), exportKeyPair()]);
    expect(await codeOf(ask({ ...jwk, y: other.jwk.y }, start))).toBe("INVALID_REQUEST");
    expect(await itemsNamed(db.table, `EXPORT#${name.userID}`)).toEqual([]);
  });
});

async function retire({ UserID: userID, _id: walletId }: Wallet): Promise<void> {
  await retireWallet(
    {
      table: db.table,
      limits: walletLimits,
      wake: async () => {},
      endResting: async () => {},
    },
    { userID, walletId, now: start },
  );
}

describe("endExport", () => {
  it("cancels a request, so that no key is exported", async () => {
    const { ask, cancel, sealing, wallet } = await holder();
    const { jwk } = await exportKeyPair();
    await ask(jwk, start);
    await cancel(secondsOn(1));
    expect(await sealing(secondsOn(4000))).toEqual({ refused: "EXPORT_NOT_FOUND" });
    expect(await codeOf(cancel(secondsOn(2)))).toBe("EXPORT_NOT_FOUND");
    expect(await eventTypes(db.table, wallet)).toEqual(["exportCancelled", "exportRequested", "imported"]);
    expect(await ask(jwk, secondsOn(4000))).toMatchObject({ status: "pending" });
  });

  it("finds nothing to cancel before a request or after it has expired", async () => {
    const { ask, cancel } = await holder();
    expect(await codeOf(cancel(start))).toBe("EXPORT_NOT_FOUND");
    await ask((await exportKeyPair()).jwk, start);
    expect(await codeOf(cancel(secondsOn(delaySeconds + 86_400)))).toBe("EXPORT_NOT_FOUND");
  });
});

describe("sealExport for any caller", () => {
  it("seals nothing before the delay after the announcement is over", async () => {
    const { ask, sealing } = await holder();
    const { jwk } = await exportKeyPair();
    expect(await sealing(start)).toEqual({ refused: "EXPORT_NOT_FOUND" });
    await ask(jwk, start);
    const availableAt = secondsOn(3600).toISOString();
    const thumbprint = thumbprintOf(jwk);
    expect(await sealing(secondsOn(3599))).toEqual({ availableAt, thumbprint });
    expect(await sealing(secondsOn(3600), 7200)).toEqual({
      availableAt: secondsOn(7200).toISOString(),
      thumbprint,
    });
    expect(await sealing(secondsOn(3600))).toHaveProperty("ciphertext");
  });

  it("seals nothing for an expired request, a different key or a retired wallet", async () => {
    const { ask, sealing, name, wallet } = await holder();
    const [{ jwk }, other] = await Promise.all([exportKeyPair(), exportKeyPair()]);
    await ask(jwk, start);
    expect(await sealing(secondsOn(delaySeconds + 86_400))).toEqual({ refused: "EXPORT_NOT_FOUND" });
    await change(name, { publicKey: other.jwk });
    expect(await sealing(secondsOn(3600))).toEqual({ refused: "EXPORT_NOT_FOUND" });
    await change(name, { publicKey: jwk });
    await retire(wallet);
    expect(await sealing(secondsOn(3600))).toEqual({ refused: "WALLET_NOT_FOUND" });
  });

  it("decrypts no wallet of another user, even if that wallet's items are copied", async () => {
    const [victim, thief] = [await holder(), await holder()];
    const { jwk } = await exportKeyPair();
    await thief.ask(jwk, start);
    const { UserID, network, generatedWalletAddress: address } = victim.wallet;
    const { userID, walletId } = thief.name;
    for (const [keyOf, ids] of [
      [walletKey, { _id: walletId }],
      [sealedKeyKey, { userID, walletId }],
    ] as const) {
      const { PK, SK } = keyOf(UserID, network, address);
      const [copied] = await itemsNamed(db.table, `${PK} ${SK}`);
      const Item = { ...copied, ...keyOf(userID, network, address), ...ids };
      await db.table.client.send(new PutCommand({ TableName: db.table.name, Item }));
    }
    await change(thief.name, { address });
    await expect(thief.sealing(secondsOn(3600))).rejects.toMatchObject({ name: "NotSealed" });
  });

  it("returns nothing if the request is cancelled in the meantime", async () => {
    const { ask, cancel, wallet, name } = await holder();
    const { jwk } = await exportKeyPair();
    await ask(jwk, start);
    const client = vault.client;
    const slow = {
      ...vault,
      client: {
        async send(command: never) {
          await cancel(secondsOn(3600));
          return client.send(command);
        },
      } as never,
    };
    const deps = { table: db.table, vault: slow, delaySeconds, onExport: () => expect.fail() };
    expect(await sealExport(deps, name, secondsOn(3600))).toEqual({ refused: "EXPORT_NOT_FOUND" });
    expect(await eventTypes(db.table, wallet)).not.toContain("exported");
    expect(await readWallet(db.table, wallet)).toMatchObject({ _id: wallet._id });
  });
});

/** Writes with the rights of a taken-over function, which cannot write the items that sealExport owns. */
async function change({ userID, walletId }: { userID: string; walletId: string }, changes: object) {
  const [found] = (await itemsNamed(db.table, `EXPORT#${userID}`)).filter(({ SK }) => SK.endsWith(walletId));
  const Item = { ...found, ...changes, ...exportKey(userID, walletId) };
  await db.table.client.send(new PutCommand({ TableName: db.table.name, Item }));
}
