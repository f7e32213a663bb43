import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newKey } from "../../../lib/plans/user-key.ts";
import { writeUserKeyRecord } from "../../../lib/plans/user-key-records.ts";
import { setStock } from "../../../lib/rewards/stock-records.ts";
import { type PartitionLayout, partitions } from "../../../lib/table/layout.ts";
import { exportedItems } from "../../../lib/tools/admin/user-export.ts";
import { readOwnProfile } from "../../../lib/users/profile-records.ts";
import { now, run } from "./support/admin.ts";
import { stored, targetForTests } from "./support/custody.ts";
import { expectNoSecretPrinted, keepSecret, printed } from "./support/secrets.ts";
import { whole, writeWholeUser } from "./support/whole-user.ts";

const target = targetForTests();
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "export-"));
});
afterEach(() => rm(folder, { recursive: true }));

const { userID } = whole;
const fileOf = () => join(folder, "data.json");
const exported = () => run(target, ["export-user", userID, fileOf()]);
const written = async () => JSON.parse(await readFile(fileOf(), "utf8"));

describe("export-user", () => {
  beforeEach(() => setStock(target.table, "mug", 3));

  it("writes one file with all of a user's data, which only its owner can read", async () => {
    const wallets = await writeWholeUser(target);
    expect(await exported()).toMatchObject({ code: 0, err: "" });
    const { mode } = await stat(fileOf());
    expect(mode & 0o777).toBe(0o600);
    const addresses = wallets.map(({ wallet }) => wallet.generatedWalletAddress);
    expect(await written()).toMatchObject({
      userID,
      exportedAt: now.toISOString(),
      profile: [{ userID, username: whole.username, referredBy: "Rita", points: 150 }],
      settings: [{ chain: "eth", slippage: 7 }],
      wallets: expect.arrayContaining(
        addresses.map((generatedWalletAddress) => expect.objectContaining({ generatedWalletAddress })),
      ),
      policies: [{ chain: "eth", wallet: addresses[0], policy: { tradingEnabled: true } }],
      programKeys: [{ name: "Rebalancer", scopes: ["read"] }],
      events: [{ type: "imported" }, { type: "imported" }],
      orders: [{ orderId: whole.order, status: "open" }],
      positions: [{ positionId: "p1" }],
      points: [{ reason: "opening" }, { reason: "redeemed", change: -100, points: 150 }],
      redemptions: [{ rewardId: "mug", status: "pending" }],
      referrals: [{ username: "Fred" }],
      connections: [{ connectedAt: expect.any(String), channels: ["orders", "prices"] }],
    });
  });

  it("names no other user by the id", async () => {
    await writeWholeUser(target);
    expect((await readOwnProfile(target.table, userID)).referrerId).toBe("rita");
    await exported();
    expect(await readFile(fileOf(), "utf8")).not.toContain('"rita"');
  });

  it("contains no private key, no sealed one and no API key", async () => {
    for (const { wallet, secret } of await writeWholeUser(target)) {
      keepSecret(secret);
      await stored(target, wallet);
    }
    const key = newKey(userID, { name: "Standard", requestsPerMinute: 100 });
    keepSecret(Buffer.from(key.value));
    await writeUserKeyRecord(target.table, undefined, { userID, next: key }, now);
    await exported();
    printed({ code: 0, out: await readFile(fileOf(), "utf8"), err: "" });
    expectNoSecretPrinted();
  });

  it("replaces the file as a whole when it is run again", async () => {
    await writeWholeUser(target);
    await writeFile(fileOf(), "x".repeat(1_000_000));
    await exported();
    const first = await readFile(fileOf(), "utf8");
    await exported();
    expect(await readFile(fileOf(), "utf8")).toBe(first);
    expect(await readdir(folder)).toEqual(["data.json"]);
  });

  it("fails for an unknown user, and for a file that cannot be written", async () => {
    expect(await exported()).toMatchObject({ code: 1, err: expect.stringContaining("There is no user") });
    await writeWholeUser(target);
    const err = `error: ${folder}/none/data.json cannot be written (ENOENT)\n`;
    expect(await run(target, ["export-user", userID, `${folder}/none/data.json`])).toEqual({
      code: 1,
      out: "",
      err,
    });
  });

  it("decides about every kind of item in a user's partitions", () => {
    const ofUsers = (partitions as readonly PartitionLayout[]).filter(({ owner }) => owner === "user");
    const kinds = ofUsers.flatMap(({ items }) => Object.keys(items));
    expect(Object.keys(exportedItems).toSorted()).toEqual(kinds.toSorted());
  });
});
