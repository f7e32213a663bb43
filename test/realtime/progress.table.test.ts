import { describe, expect, it } from "vitest";
import { catchUp } from "../../lib/realtime/catch-up.ts";
import { withTotal } from "../../lib/users/experience.ts";
import { progressKey } from "../../lib/users/item-keys.ts";
import { newProfile, profileData, progressOf } from "../../lib/users/profile.ts";
import { putItems } from "../support/items.ts";
import { streamRecord } from "../support/stream.ts";
import { publishingForTests } from "./support/publishing.ts";

const scene = publishingForTests();

/** Builds what a user is told after a credit, and the profile that the user can read. */
function credited(userID: string, xp: number, now = new Date()) {
  const profile = newProfile({ _id: "p", userID, username: userID, refID: "ABCD2345", now });
  const experience = withTotal(profile.experience, xp, now);
  const rich = { ...profile, experience, ranked: true, points: 7 };
  return {
    item: { ...progressKey(userID), ...progressOf(rich, now) },
    shown: profileData(rich, {}, now),
    version: now.getTime(),
  };
}

describe("ProfileUpdated", () => {
  it("tells every connection of the user, and nobody else, what getUserData would say, without the id", async () => {
    await scene.connect("ann", "a-1", ["orders"]);
    await scene.connect("ann", "a-2");
    await scene.connect("bob", "b-1", ["orders"]);
    const { item, shown, version } = credited("ann", 450);
    await scene.publishAll([streamRecord(item)]);
    const { Level, Xp, xpRemainingForNextLevel, tradeStreakCount, Ranked } = shown;
    expect(Level).toBe(3);
    const data = { Level, Xp, xpRemainingForNextLevel, tradeStreakCount, Ranked, points: 7, version };
    const message = { type: "ProfileUpdated", time: scene.now.toISOString(), data };
    for (const connectionId of ["a-1", "a-2"]) expect(scene.received(connectionId)).toEqual([message]);
    expect(scene.received("b-1")).toEqual([]);
  });

  it("repeats only a recent one to a connection that missed messages", async () => {
    const [recent, old] = [credited("cat", 120), credited("dan", 120, new Date(Date.now() - 4 * 3_600_000))];
    await putItems(scene.table, [recent.item, old.item]);
    for (const userID of ["cat", "dan"]) await scene.connect(userID, `${userID}-1`);
    const deps = { ...scene, table: scene.table, pusher: scene.api.current.pusher };
    const connections = ["cat", "dan"].map((userID) => ({ userID, connectionId: `${userID}-1` }));
    await catchUp(deps, { connections }, { deadline: new Date(Date.now() + 10_000) });
    expect(scene.received("cat-1")).toMatchObject([
      { type: "ProfileUpdated", data: { version: recent.version } },
    ]);
    expect(scene.received("dan-1")).toEqual([]);
  });
});
