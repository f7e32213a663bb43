import { describe, expect, it } from "vitest";
import { catchUp } from "../../lib/realtime/catch-up.ts";
import { redemptionKey } from "../../lib/rewards/item-keys.ts";
import { changedTo, newRedemption } from "../../lib/rewards/redemption.ts";
import { putItems } from "../support/items.ts";
import { reward } from "../support/rewards.ts";
import { streamRecord } from "../support/stream.ts";
import { publishingForTests } from "./support/publishing.ts";

const scene = publishingForTests();

function bought(userID: string, redemptionId: string, now = new Date()) {
  const redemption = newRedemption(reward("mug"), { redemptionId, userID, now });
  const { userID: _, isLimited, ...shown } = redemption;
  return { redemption, shown, item: { ...redemptionKey(userID, now, redemptionId), ...redemption } };
}

describe("RewardRedeemed", () => {
  it("sends a redemption to every connection of the user after each change, whatever the connections' channels", async () => {
    await scene.connect("ann", "a-1", ["orders"]);
    await scene.connect("ann", "a-2");
    await scene.connect("bob", "b-1", ["orders"]);
    const { redemption, shown, item } = bought("ann", "r1");
    const done = { ...item, ...changedTo(redemption, "fulfilled", new Date(0)) };
    await scene.publishAll([streamRecord(item), streamRecord(done, item)]);
    const message = (data: object) => ({
      type: "RewardRedeemed",
      time: scene.now.toISOString(),
      data: { redemption: { ...shown, ...data } },
    });
    const changes = [
      message({}),
      message({ status: "fulfilled", version: 2, updatedAt: new Date(0).toISOString() }),
    ];
    for (const connectionId of ["a-1", "a-2"]) expect(scene.received(connectionId)).toEqual(changes);
    expect(scene.received("b-1")).toEqual([]);
  });

  it("repeats a recently changed redemption to a connection that missed messages", async () => {
    await scene.connect("cat", "c-1");
    const recent = bought("cat", "r1");
    const fourHoursAgo = new Date(Date.now() - 4 * 3_600_000);
    const old = bought("cat", "r2", fourHoursAgo);
    const foreign = bought("dan", "r3");
    const { redemption, shown, item } = bought("cat", "r4", fourHoursAgo);
    const { status, version, updatedAt } = changedTo(redemption, "fulfilled", new Date());
    const fulfilled = { status, version, updatedAt };
    await putItems(scene.table, [recent.item, old.item, foreign.item, { ...item, ...fulfilled }]);
    const deps = { ...scene, table: scene.table, pusher: scene.api.current.pusher };
    await catchUp(
      deps,
      { connections: [{ userID: "cat", connectionId: "c-1" }] },
      {
        deadline: new Date(Date.now() + 10_000),
      },
    );
    const again = (data: object) => ({
      type: "RewardRedeemed",
      time: expect.any(String),
      data: { redemption: data },
    });
    expect(scene.received("c-1")).toEqual([again(recent.shown), again({ ...shown, ...fulfilled })]);
  });
});
