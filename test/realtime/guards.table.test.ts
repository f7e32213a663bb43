import { describe, expect, it } from "vitest";
import { subscribe } from "../../lib/realtime/subscribe.ts";
import type { PolicyChange, ShownPolicy } from "../../lib/wallets/guard-records.ts";
import { endedLockKey, shownPolicyKey } from "../../lib/wallets/item-keys.ts";
import { putItems } from "../support/items.ts";
import { streamRecord } from "../support/stream.ts";
import { publishingForTests } from "./support/publishing.ts";

const scene = publishingForTests();
const now = new Date("2026-11-22T10:00:00.000Z");
const frozen = { tokens: "any" as const, tradingEnabled: false };
const pending = { policy: { ...frozen, tradingEnabled: true }, effectiveAt: "2026-11-23T10:00:00.000Z" };

function shown(userID: string, change: PolicyChange, changes: Partial<ShownPolicy> = {}) {
  const item = { userID, walletId: "w1", policy: frozen, change, version: 2, ...changes };
  return { ...shownPolicyKey({ userID, chain: "eth", wallet: "0xA1" }), ...item };
}

const noticesOf = () => scene.putNotice.mock.calls.map(([notice]) => notice);

describe("publish for a policy", () => {
  it("sends a policy to all of the user's connections, and also to the operators' bus if the policy becomes looser", async () => {
    await scene.connect("ann", "a-1", ["orders"]);
    await scene.connect("ann", "a-2");
    const asked = shown("ann", "announced", { pending });
    const loosened = shown("ann", "loosened", { policy: pending.policy, version: 3 });
    const tightened = shown("ann", "tightened", { version: 4 });
    for (const [after, before] of [[asked], [loosened, asked], [tightened, loosened]])
      expect(await scene.publishAll([streamRecord(after, before)])).toEqual([]);
    const message = (data: object) => ({
      type: "WalletPolicyUpdated",
      time: scene.now.toISOString(),
      data: { walletId: "w1", ...data },
    });
    for (const connectionId of ["a-1", "a-2"])
      expect(scene.received(connectionId)).toEqual([
        message({ policy: frozen, pending, change: "announced", version: 2 }),
        message({ policy: pending.policy, change: "loosened", version: 3 }),
        message({ policy: frozen, change: "tightened", version: 4 }),
      ]);
    const { effectiveAt } = pending;
    expect(noticesOf()).toEqual([
      { type: "LooserPolicyRequested", detail: { userID: "ann", walletId: "w1", effectiveAt } },
      { type: "PolicyLoosened", detail: { userID: "ann", walletId: "w1" } },
    ]);
  });

  it("for users who were offline, repeats the messages about a looser policy that is announced or has taken effect", async () => {
    await scene.connect("fred", "f-1");
    const name = { userID: "fred", connectionId: "f-1", channels: ["prices"], now };
    const typesOf = async () => (await subscribe(scene.table, name)).map(({ type }) => type);
    for (const [change, isRepeated] of [
      ["announced", true],
      ["loosened", true],
      ["tightened", false],
    ] as const) {
      await putItems(scene.table, [shown("fred", change, change === "announced" ? { pending } : {})]);
      expect((await typesOf()).includes("WalletPolicyUpdated"), change).toBe(isRepeated);
    }
  });
});

describe("publish for the end of a lock", () => {
  it("sends the end of a lock once to the user's connections and the operators' bus", async () => {
    await scene.connect("lena", "l-1");
    const item = { ...endedLockKey("lena"), userID: "lena", lockId: "l1", endedAt: now.toISOString() };
    await scene.publishAll([streamRecord(item), streamRecord({ ...item, endedAt: "later" }, item)]);
    expect(scene.received("l-1")).toEqual([
      { type: "ExportLockUpdated", time: scene.now.toISOString(), data: { status: "unlocked" } },
    ]);
    expect(noticesOf()).toEqual([{ type: "ExportsUnlocked", detail: { userID: "lena" } }]);
  });
});
