import { DeleteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { bindingOf, rewrap, seal } from "../../../lib/aws/vault.ts";
import { bindingIn, replaceKey } from "../../../lib/tools/admin/commands/rewrap-keys.ts";
import { type Imported, stored } from "./support/custody.ts";
import { rewrappingForTests, tally } from "./support/rewrapping.ts";

const world = rewrappingForTests();
const { rewrapKeys, materials, expectAllOpen } = world;

describe("rewrap-keys during other changes to a wallet", () => {
  /** Changes the first rewrapped wallet while KMS handles its call. */
  function meanwhile(change: (imported: Imported) => Promise<unknown>, times = 1): void {
    let chosen: string | undefined;
    let left = times;
    world.target.hooks.beforeAnswer = async (operation, body) => {
      const walletId = body.SourceEncryptionContext?.walletId;
      if (operation !== "ReEncrypt" || left === 0) return;
      chosen ??= walletId;
      if (walletId !== chosen) return;
      left--;
      await change(world.wallets.find(({ wallet }) => wallet._id === chosen) as Imported);
    };
  }

  /** Encrypts the private key again under the old key material and stores it. */
  async function sealAgain({ wallet, secret }: Imported): Promise<void> {
    const before = await stored(world.target, wallet);
    const sealed = await seal(world.target.vault, secret, bindingOf(wallet));
    await replaceKey(world.target.table, before, { ...sealed, keyMaterialId: before.keyMaterialId });
  }

  it("keeps the result of a concurrent run", async () => {
    let theirs: Uint8Array | undefined;
    let changed: Imported | undefined;
    meanwhile(async (imported) => {
      const before = await stored(world.target, imported.wallet);
      const sealed = await rewrap(world.target.vault, before.encryptedPrivateKey, bindingIn(before));
      await replaceKey(world.target.table, before, sealed);
      [theirs, changed] = [sealed.encryptedPrivateKey, imported];
    });
    expect(await rewrapKeys()).toMatchObject({ code: 0, out: tally(5, 1, 0) });
    expect((await stored(world.target, (changed as Imported).wallet)).encryptedPrivateKey).toEqual(
      Uint8Array.from(theirs as Uint8Array),
    );
    await expectAllOpen();
  });

  it("rewraps a key that was replaced during the run", async () => {
    meanwhile(sealAgain);
    expect(await rewrapKeys()).toMatchObject({ code: 0, out: tally(6, 0, 0) });
    expect(await materials()).toEqual([6]);
    await expectAllOpen();
  });

  it("gives up on a wallet that changes on every attempt, and names it", async () => {
    meanwhile(sealAgain, Number.POSITIVE_INFINITY);
    const { code, out, err } = await rewrapKeys();
    expect({ code, out }).toEqual({ code: 1, out: tally(5, 0, 1) });
    expect(err).toMatch(/^wallet [0-9a-f-]{36}: its encrypted key kept changing$/m);
    await expectAllOpen();
  });

  it("leaves a deleted wallet deleted", async () => {
    meanwhile(async (imported) => {
      const { PK, SK } = await stored(world.target, imported.wallet);
      await world.target.table.client.send(
        new DeleteCommand({ TableName: world.target.table.name, Key: { PK, SK } }),
      );
      world.wallets = world.wallets.filter((other) => other !== imported);
    });
    expect((await rewrapKeys()).code).toBe(0);
    expect(world.wallets).toHaveLength(5);
    const { out } = await rewrapKeys("--dry-run");
    expect(out).toBe("to re-wrap: 0\nalready new: 5\n");
  });

  it("keeps the expiry time of a retired wallet's key", async () => {
    let retired: Imported | undefined;
    meanwhile(async (imported) => {
      retired = imported;
      const { PK, SK } = await stored(world.target, imported.wallet);
      await world.target.table.client.send(
        new UpdateCommand({
          TableName: world.target.table.name,
          Key: { PK, SK },
          UpdateExpression: "SET expiresAt = :at",
          ExpressionAttributeValues: { ":at": 2_000_000_000 },
        }),
      );
    });
    expect(await rewrapKeys()).toMatchObject({ code: 0, out: tally(6, 0, 0) });
    expect(await stored(world.target, (retired as Imported).wallet)).toMatchObject({
      expiresAt: 2_000_000_000,
    });
  });

  it("rewraps each key once when two runs overlap", async () => {
    const runs = await Promise.all([rewrapKeys(), rewrapKeys()]);
    const done = runs.map(({ out }) => Number(/re-wrapped: (\d+)/.exec(out)?.[1]));
    expect(done.reduce((sum, count) => sum + count)).toBe(6);
    expect(runs.map(({ code, out }) => ({ code, out }))).toEqual(
      done.map((count) => ({ code: 0, out: tally(count, 6 - count, 0) })),
    );
    await expectAllOpen();
  });

  it("loses no key when a run is killed halfway", async () => {
    const died = Promise.withResolvers<never>();
    died.promise.catch(() => undefined);
    const reached = Promise.withResolvers<void>();
    let begun = 0;
    world.target.hooks.beforeAnswer = (operation) => {
      if (operation !== "ReEncrypt" || ++begun < 3) return undefined;
      reached.resolve();
      return died.promise;
    };
    const dead = rewrapKeys("--concurrency", "1");
    await reached.promise;
    world.target.hooks.beforeAnswer = () => undefined;
    await expectAllOpen();
    expect(await rewrapKeys()).toMatchObject({ code: 0, out: tally(4, 2, 0) });
    expect(await materials()).toEqual([6]);
    await expectAllOpen();
    died.reject(new Error("The run is over"));
    await dead;
  });
});
