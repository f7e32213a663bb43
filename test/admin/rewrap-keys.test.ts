import { DeleteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { KmsError } from "cdk-local-runner/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readStoredWallet, replaceKey } from "../../lib/admin/stored-wallet.ts";
import { unpack } from "../../lib/aws/container.ts";
import { bindingOf, rewrap, seal } from "../../lib/aws/vault.ts";
import { type Engine, engineStart, startTable } from "../support/dynamodb.ts";
import { collector, linesOf, run } from "./support/admin.ts";
import { type Imported, opened, rotate, stored, targetWith, userWithWallets } from "./support/custody.ts";
import { expectNoSecretPrinted } from "./support/secrets.ts";

let engine: Engine;
let target: ReturnType<typeof targetWith>;
let wallets: Imported[];

beforeAll(async () => {
  engine = await startTable();
}, engineStart);
beforeEach(async () => {
  target = targetWith(await engine.newTable());
  wallets = await userWithWallets(target, "alice", 6);
  for (const { wallet } of wallets) await stored(target, wallet);
  await rotate(target);
});
afterEach(async () => {
  for (const { wallet } of wallets) await stored(target, wallet);
  expectNoSecretPrinted();
});
afterAll(() => engine.stop());

const rewrapKeys = (...args: string[]) => run(target, ["rewrap-keys", ...args]);

/** How many wallets there are of each key material, the most frequent first. */
async function materials(): Promise<number[]> {
  const all = await Promise.all(wallets.map(({ wallet }) => stored(target, wallet)));
  const groups = Map.groupBy(all, ({ keyMaterialId }) => keyMaterialId);
  return [...groups.values()].map(({ length }) => length).toSorted((a, b) => b - a);
}

async function expectAllOpen(): Promise<void> {
  for (const { wallet, secret } of wallets) expect(await opened(target, wallet)).toEqual(secret);
}

const tally = (rewrapped: number, current: number, failed: number) =>
  `re-wrapped: ${rewrapped}\nalready new: ${current}\nfailed: ${failed}\n`;

describe("rewrap-keys after a rotation", () => {
  it("wraps every data key anew, and leaves what it wraps as it is", async () => {
    const before = await Promise.all(wallets.map(({ wallet }) => stored(target, wallet)));
    const { code, out } = await rewrapKeys();
    expect({ code, out }).toEqual({ code: 0, out: tally(6, 0, 0) });

    const after = await Promise.all(wallets.map(({ wallet }) => stored(target, wallet)));
    for (const [index, { encryptedPrivateKey, keyMaterialId, ...rest }] of after.entries()) {
      const old = before[index];
      expect(rest).toEqual({ ...old, encryptedPrivateKey: undefined, keyMaterialId: undefined });
      expect(keyMaterialId).not.toBe(old?.keyMaterialId);
      const [was, is] = [unpack(old?.encryptedPrivateKey as Uint8Array), unpack(encryptedPrivateKey)];
      expect(is.body).toEqual(was.body);
      expect(is.wrappedKey).not.toEqual(was.wrappedKey);
    }
    await expectAllOpen();
  });

  it("does nothing the second time", async () => {
    await rewrapKeys();
    let calls = 0;
    target.hooks.beforeAnswer = (operation) => (calls += operation === "ReEncrypt" ? 1 : 0);
    const { code, out } = await rewrapKeys();
    expect({ code, out, calls }).toEqual({ code: 0, out: tally(0, 6, 0), calls: 0 });
  });

  it("leaves wallets alone that were imported after the rotation", async () => {
    wallets.push(...(await userWithWallets(target, "bob", 2)));
    expect((await rewrapKeys()).out).toBe(tally(6, 2, 0));
  });

  it("has nothing to do without wallets", async () => {
    target = targetWith(await engine.newTable());
    wallets = [];
    const { code, out, err } = await rewrapKeys();
    expect({ code, out, err }).toEqual({ code: 0, out: tally(0, 0, 0), err: "" });
  });

  it("treats a wallet that names no key material as an old one", async () => {
    const { PK, SK } = await stored(target, (wallets[0] as Imported).wallet);
    await target.table.client.send(
      new UpdateCommand({
        TableName: target.table.name,
        Key: { PK, SK },
        UpdateExpression: "REMOVE keyMaterialId",
      }),
    );
    expect((await rewrapKeys()).out).toBe(tally(6, 0, 0));
    expect(await materials()).toEqual([6]);
  });

  it("only counts in a dry run", async () => {
    wallets.push(...(await userWithWallets(target, "bob", 1)));
    const { code, out } = await rewrapKeys("--dry-run");
    expect({ code, out }).toEqual({ code: 0, out: "to re-wrap: 6\nalready new: 1\n" });
    expect(await materials()).toEqual([6, 1]);
  });

  it("works on no more wallets at a time than it may", async () => {
    for (const limit of [1, 3]) {
      let [under, most] = [0, 0];
      target.hooks.beforeAnswer = async (operation) => {
        if (operation !== "ReEncrypt") return;
        most = Math.max(most, ++under);
        await new Promise((resolve) => setTimeout(resolve, 20));
        under--;
      };
      await rewrapKeys("--concurrency", String(limit));
      expect(most).toBe(limit);
      await rotate(target);
    }
  });
});

describe("rewrap-keys when something fails", () => {
  it("goes on with the others, names the wallet, and does the rest the next time", async () => {
    const broken = (wallets[2] as Imported).wallet._id;
    target.hooks.beforeAnswer = (operation, body) => {
      if (operation === "ReEncrypt" && body.SourceEncryptionContext?.walletID === broken) {
        throw new KmsError("InvalidCiphertextException", "no");
      }
    };
    const { code, out, err } = await rewrapKeys();
    expect({ code, out }).toEqual({ code: 1, out: tally(5, 0, 1) });
    expect(linesOf(err)).toContainEqual(
      expect.stringMatching(`^wallet ${broken}: InvalidCiphertextException`),
    );
    expect(linesOf(err).at(-1)).toBe(
      "error: Not all was done; wallets left: 1; run the same command again to go on",
    );
    expect(await materials()).toEqual([5, 1]);

    target.hooks.beforeAnswer = () => undefined;
    expect(await rewrapKeys()).toMatchObject({ code: 0, out: tally(1, 5, 0) });
    await expectAllOpen();
  });

  it.each([
    ["damaged", Uint8Array.of(9, 9, 9), "Unknown container version"],
    ["not even bytes", "a secret" as unknown as Uint8Array, "TypeError"],
  ])("reports a container that is %s, and does not touch it", async (_, container, reason) => {
    const [{ wallet }] = wallets.splice(0, 1) as [Imported];
    const damaged = { ...(await stored(target, wallet)), encryptedPrivateKey: container };
    await replaceKey(target.table, await stored(target, wallet), damaged);
    const { code, out, err } = await rewrapKeys();
    expect({ code, out }).toEqual({ code: 1, out: tally(5, 0, 1) });
    expect(linesOf(err)).toContain(`wallet ${wallet._id}: ${reason}`);
    expect(await readStoredWallet(target.table, damaged)).toMatchObject({
      encryptedPrivateKey: container,
      keyMaterialId: damaged.keyMaterialId,
    });
  });

  it("stops at once, with one line, when it may not ask for the key", async () => {
    target.hooks.beforeAnswer = () => {
      throw Object.assign(new Error("User is not authorized"), {
        name: "AccessDeniedException",
        $metadata: {},
      });
    };
    const { code, out, err } = await rewrapKeys();
    expect({ code, out, err }).toEqual({
      code: 1,
      out: "",
      err: "error: AccessDeniedException: User is not authorized\n",
    });
  });

  it("tells how far it came when the table fails on the way", async () => {
    let pages = 0;
    const table = { ...target.table, client: Object.create(target.table.client) };
    table.client.send = async (command: { input: { Limit?: number }; constructor: { name: string } }) => {
      if (command.constructor.name === "ScanCommand") {
        command.input.Limit = 1;
        // Counting takes a page for each of the 8 items (6 wallets, the profile, its code) and an empty one.
        if (++pages > 14)
          throw Object.assign(new Error("Slow down"), { name: "ThrottlingException", $metadata: {} });
      }
      return target.table.client.send(command as never);
    };
    const { code, out, err } = await run({ ...target, table }, ["rewrap-keys", "--concurrency", "2"]);
    expect(code).toBe(1);
    const rewrapped = Number(/re-wrapped: (\d+)/.exec(out)?.[1]);
    expect(rewrapped).toBeGreaterThan(0);
    expect(rewrapped).toBeLessThan(6);
    expect(await materials()).toEqual([rewrapped, 6 - rewrapped].toSorted((a, b) => b - a));
    expect(linesOf(err).at(-1)).toBe("error: ThrottlingException: Slow down");
  });

  it("stops between two wallets when it is interrupted, and tells how to go on", async () => {
    const controller = new AbortController();
    let begun = 0;
    target.hooks.beforeAnswer = (operation) => {
      if (operation === "ReEncrypt" && ++begun === 2) controller.abort();
    };
    const args = ["rewrap-keys", "--concurrency", "1"];
    const { code, out, err } = await run(target, args, { interruption: () => controller.signal });
    expect({ code, out }).toEqual({ code: 1, out: tally(2, 0, 0) });
    expect(linesOf(err).at(-1)).toBe("error: Stopped; wallets left: 4; run the same command again to go on");
    expect(await materials()).toEqual([4, 2]);

    expect(await rewrapKeys()).toMatchObject({ code: 0, out: tally(4, 2, 0) });
    await expectAllOpen();
  });
});

describe("rewrap-keys beside other changes of a wallet", () => {
  /** Does something to the first wallet that KMS is asked to re-wrap, while KMS is at it. */
  function meanwhile(change: (imported: Imported) => Promise<unknown>, times = 1): void {
    let chosen: string | undefined;
    let left = times;
    target.hooks.beforeAnswer = async (operation, body) => {
      const walletID = body.SourceEncryptionContext?.walletID;
      if (operation !== "ReEncrypt" || left === 0) return;
      chosen ??= walletID;
      if (walletID !== chosen) return;
      left--;
      await change(wallets.find(({ wallet }) => wallet._id === chosen) as Imported);
    };
  }

  /** As the first wallet stood before the rotation, but sealed anew. */
  async function sealAnew({ wallet, secret }: Imported): Promise<void> {
    const before = await stored(target, wallet);
    const sealed = await seal(target.vault, secret, bindingOf(wallet));
    await replaceKey(target.table, before, { ...sealed, keyMaterialId: before.keyMaterialId });
  }

  it("leaves the work of another run as it is", async () => {
    let theirs: Uint8Array | undefined;
    let changed: Imported | undefined;
    meanwhile(async (imported) => {
      const wallet = await stored(target, imported.wallet);
      const sealed = await rewrap(target.vault, wallet.encryptedPrivateKey, bindingOf(wallet));
      await replaceKey(target.table, wallet, sealed);
      [theirs, changed] = [sealed.encryptedPrivateKey, imported];
    });
    expect(await rewrapKeys()).toMatchObject({ code: 0, out: tally(5, 1, 0) });
    expect((await stored(target, (changed as Imported).wallet)).encryptedPrivateKey).toEqual(
      Uint8Array.from(theirs as Uint8Array),
    );
    await expectAllOpen();
  });

  it("re-wraps what another has put in its place", async () => {
    meanwhile(sealAnew);
    expect(await rewrapKeys()).toMatchObject({ code: 0, out: tally(6, 0, 0) });
    expect(await materials()).toEqual([6]);
    await expectAllOpen();
  });

  it("gives up on a wallet that changes each time, and names it", async () => {
    meanwhile(sealAnew, Number.POSITIVE_INFINITY);
    const { code, out, err } = await rewrapKeys();
    expect({ code, out }).toEqual({ code: 1, out: tally(5, 0, 1) });
    expect(err).toMatch(/^wallet [0-9a-f-]{36}: its encrypted key kept changing$/m);
    await expectAllOpen();
  });

  it("does not bring back a wallet that has gone", async () => {
    meanwhile(async (imported) => {
      const { PK, SK } = await stored(target, imported.wallet);
      await target.table.client.send(new DeleteCommand({ TableName: target.table.name, Key: { PK, SK } }));
      wallets = wallets.filter((other) => other !== imported);
    });
    expect((await rewrapKeys()).code).toBe(0);
    expect(wallets).toHaveLength(5);
    const { out } = await rewrapKeys("--dry-run");
    expect(out).toBe("to re-wrap: 0\nalready new: 5\n");
  });

  it("keeps a name that the wallet was given", async () => {
    let named: Imported | undefined;
    meanwhile(async (imported) => {
      named = imported;
      const { PK, SK } = await stored(target, imported.wallet);
      await target.table.client.send(
        new UpdateCommand({
          TableName: target.table.name,
          Key: { PK, SK },
          UpdateExpression: "SET slotName = :name",
          ExpressionAttributeValues: { ":name": "Savings" },
        }),
      );
    });
    expect(await rewrapKeys()).toMatchObject({ code: 0, out: tally(6, 0, 0) });
    expect((await stored(target, (named as Imported).wallet)).slotName).toBe("Savings");
  });

  it("lets two runs at once do the work once", async () => {
    const runs = await Promise.all([rewrapKeys(), rewrapKeys()]);
    const done = runs.map(({ out }) => Number(/re-wrapped: (\d+)/.exec(out)?.[1]));
    expect(done.reduce((sum, count) => sum + count)).toBe(6);
    expect(runs.map(({ code, out }) => ({ code, out }))).toEqual(
      done.map((count) => ({ code: 0, out: tally(count, 6 - count, 0) })),
    );
    await expectAllOpen();
  });
});

describe("the progress of rewrap-keys", () => {
  it("is plain lines where there is no terminal", async () => {
    const { err } = await rewrapKeys();
    expect(err).not.toContain("\u001b");
    expect(linesOf(err).at(-1)).toBe("re-wrapping 6/6");
  });

  it("is a bar on a terminal", async () => {
    const stderr = Object.assign(collector(), { isTTY: true, columns: 80 });
    await run(target, ["rewrap-keys"], { stderr });
    expect(stderr.text()).toMatch(/re-wrapping █+ 6\/6/);
  });
});
