import { ScanCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { KmsError } from "cdk-local-runner/testing";
import { describe, expect, it } from "vitest";
import { unpack } from "../../../lib/aws/container.ts";
import { readStoredKey, replaceKey } from "../../../lib/tools/admin/commands/rewrap-keys.ts";
import { interceptedTable } from "../../support/intercepted-table.ts";
import { collector, linesOf, run } from "./support/admin.ts";
import { type Imported, rotate, stored, targetWith, userWithWallets } from "./support/custody.ts";
import { rewrappingForTests, tally } from "./support/rewrapping.ts";

const world = rewrappingForTests();
const { rewrapKeys, materials, expectAllOpen } = world;

describe("rewrap-keys after a rotation", () => {
  it("rewraps every data key and leaves the encrypted private keys alone", async () => {
    const before = await Promise.all(world.wallets.map(({ wallet }) => stored(world.target, wallet)));
    const { code, out } = await rewrapKeys();
    expect({ code, out }).toEqual({ code: 0, out: tally(6, 0, 0) });

    const after = await Promise.all(world.wallets.map(({ wallet }) => stored(world.target, wallet)));
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

  it("changes nothing when run again", async () => {
    await rewrapKeys();
    let calls = 0;
    world.target.hooks.beforeAnswer = (operation) => (calls += operation === "ReEncrypt" ? 1 : 0);
    const { code, out } = await rewrapKeys();
    expect({ code, out, calls }).toEqual({ code: 0, out: tally(0, 6, 0), calls: 0 });
  });

  it("skips wallets imported after the rotation", async () => {
    world.wallets.push(...(await userWithWallets(world.target, "bob", 2)));
    expect((await rewrapKeys()).out).toBe(tally(6, 2, 0));
  });

  it("changes nothing without wallets", async () => {
    world.target = targetWith(await world.newTable());
    world.wallets = [];
    const { code, out, err } = await rewrapKeys();
    expect({ code, out, err }).toEqual({ code: 0, out: tally(0, 0, 0), err: "" });
  });

  it("rewraps a wallet whose item does not name its key material", async () => {
    const { PK, SK } = await stored(world.target, (world.wallets[0] as Imported).wallet);
    await world.target.table.client.send(
      new UpdateCommand({
        TableName: world.target.table.name,
        Key: { PK, SK },
        UpdateExpression: "REMOVE keyMaterialId",
      }),
    );
    expect((await rewrapKeys()).out).toBe(tally(6, 0, 0));
    expect(await materials()).toEqual([6]);
  });

  it("only counts wallets in a dry run", async () => {
    world.wallets.push(...(await userWithWallets(world.target, "bob", 1)));
    const { code, out } = await rewrapKeys("--dry-run");
    expect({ code, out }).toEqual({ code: 0, out: "to re-wrap: 6\nalready new: 1\n" });
    expect(await materials()).toEqual([6, 1]);
  });

  it("rewraps at most --concurrency wallets at a time", async () => {
    for (const limit of [1, 3]) {
      let [under, most] = [0, 0];
      world.target.hooks.beforeAnswer = async (operation) => {
        if (operation !== "ReEncrypt") return;
        most = Math.max(most, ++under);
        await new Promise((resolve) => setTimeout(resolve, 20));
        under--;
      };
      await rewrapKeys("--concurrency", String(limit));
      expect(most).toBe(limit);
      await rotate(world.target);
    }
  });
});

describe("rewrap-keys when something fails", () => {
  it("continues after a wallet fails, names it and rewraps it in the next run", async () => {
    const broken = (world.wallets[2] as Imported).wallet._id;
    world.target.hooks.beforeAnswer = (operation, body) => {
      if (operation === "ReEncrypt" && body.SourceEncryptionContext?.walletId === broken) {
        throw new KmsError("InvalidCiphertextException", "no");
      }
    };
    const { code, out, err } = await rewrapKeys();
    expect({ code, out }).toEqual({ code: 1, out: tally(5, 0, 1) });
    expect(linesOf(err)).toContainEqual(
      expect.stringMatching(`^wallet ${broken}: InvalidCiphertextException`),
    );
    expect(linesOf(err).at(-1)).toBe(
      "error: Incomplete; wallets left: 1; run the same command again to continue",
    );
    expect(await materials()).toEqual([5, 1]);

    world.target.hooks.beforeAnswer = () => undefined;
    expect(await rewrapKeys()).toMatchObject({ code: 0, out: tally(1, 5, 0) });
    await expectAllOpen();
  });

  it.each([
    ["damaged", Uint8Array.of(9, 9, 9), "Unknown container version"],
    ["not even bytes", "a secret" as unknown as Uint8Array, "TypeError"],
  ])("reports a container that is %s and leaves it alone", async (_, container, reason) => {
    const [{ wallet }] = world.wallets.splice(0, 1) as [Imported];
    const damaged = { ...(await stored(world.target, wallet)), encryptedPrivateKey: container };
    await replaceKey(world.target.table, await stored(world.target, wallet), damaged);
    const { code, out, err } = await rewrapKeys();
    expect({ code, out }).toEqual({ code: 1, out: tally(5, 0, 1) });
    expect(linesOf(err)).toContain(`wallet ${wallet._id}: ${reason}`);
    expect(await readStoredKey(world.target.table, damaged)).toMatchObject({
      encryptedPrivateKey: container,
      keyMaterialId: damaged.keyMaterialId,
    });
  });

  it("stops at once with one line without permission to describe the KMS key", async () => {
    world.target.hooks.beforeAnswer = () => {
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

  it("prints the number of finished wallets if the table fails halfway", async () => {
    let written = 0;
    const table = interceptedTable(world.target.table, (command) => {
      if (command instanceof UpdateCommand) written++;
      if (!(command instanceof ScanCommand)) return;
      command.input.Limit = 1;
      if (written >= 2)
        throw Object.assign(new Error("Slow down"), { name: "ThrottlingException", $metadata: {} });
    });
    const { code, out, err } = await run({ ...world.target, table }, ["rewrap-keys", "--concurrency", "2"]);
    expect(code).toBe(1);
    const rewrapped = Number(/re-wrapped: (\d+)/.exec(out)?.[1]);
    expect(rewrapped).toBeGreaterThan(0);
    expect(rewrapped).toBeLessThan(6);
    expect(await materials()).toEqual([rewrapped, 6 - rewrapped].toSorted((a, b) => b - a));
    expect(linesOf(err).at(-1)).toBe("error: ThrottlingException: Slow down");
  });

  it("stops before the next wallet when interrupted", async () => {
    const controller = new AbortController();
    let begun = 0;
    world.target.hooks.beforeAnswer = (operation) => {
      if (operation === "ReEncrypt" && ++begun === 2) controller.abort();
    };
    const args = ["rewrap-keys", "--concurrency", "1"];
    const { code, out, err } = await run(world.target, args, { interruption: () => controller.signal });
    expect({ code, out }).toEqual({ code: 1, out: tally(2, 0, 0) });
    expect(linesOf(err).at(-1)).toBe(
      "error: Stopped; wallets left: 4; run the same command again to continue",
    );
    expect(await materials()).toEqual([4, 2]);

    expect(await rewrapKeys()).toMatchObject({ code: 0, out: tally(4, 2, 0) });
    await expectAllOpen();
  });
});

describe("the progress of rewrap-keys", () => {
  it("prints progress as plain lines without a terminal", async () => {
    const { err } = await rewrapKeys();
    expect(err).not.toContain("\u001b");
    expect(linesOf(err).at(-1)).toBe("re-wrapping 6/6");
  });

  it("draws a progress bar on a terminal", async () => {
    const stderr = Object.assign(collector(), { isTTY: true, columns: 80 });
    await run(world.target, ["rewrap-keys"], { stderr });
    expect(stderr.text()).toMatch(/re-wrapping █+ 6\/6/);
  });
});
