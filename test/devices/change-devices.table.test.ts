import { describe, expect, it } from "vitest";
import {
  createDevice,
  deleteDevice,
  type GivenDevice,
  listDevices,
} from "../../lib/devices/change-devices.ts";
import { mostDevices } from "../../lib/devices/device.ts";
import { putPublicPushKey, removeDevice } from "../../lib/devices/device-records.ts";
import { openConnection, receiversOfUser } from "../../lib/realtime/connection-records.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { itemsNamed } from "../support/items.ts";
import { browser, openRules, wantsAll, webhook } from "./support.ts";

const db = tableForTests();
const now = new Date("2026-11-22T10:00:00.000Z");
const inHours = (hours: number) => new Date(now.getTime() + hours * 3_600_000);

const create = (userID: string, given: GivenDevice, time = now) =>
  createDevice({ table: db.table, ...openRules }, { userID, given, now: time });
const list = (userID: string, time = now) => listDevices(db.table, { userID, now: time });
const hasDevice = async (userID: string) => (await receiversOfUser(db.table, userID)).hasDevice;

describe("createDevice", () => {
  it("registers a webhook, and returns its secret this once", async () => {
    await openConnection(db.table, { userID: "ann", connectionId: "c1" }, { shard: 0, now });
    expect(await hasDevice("ann")).toBe(false);
    const { secret, ...device } = await create("ann", webhook());
    expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
    expect(device).toEqual({
      deviceId: expect.stringMatching(/^[\dA-Z]{26}$/),
      type: "webhook",
      name: "Desk",
      host: "hooks.example",
      wants: wantsAll,
      createdAt: now.toISOString(),
    });
    expect(await list("ann")).toEqual({ devices: [device] });
    const { connections } = await receiversOfUser(db.table, "ann");
    expect(connections.map(({ connectionId }) => connectionId)).toEqual(["c1"]);
    expect(await hasDevice("ann")).toBe(true);
    expect(JSON.stringify(await itemsNamed(db.table, "DEVICES#ann "))).not.toMatch(/whsec|hooks\.example\/1/);
  });

  it("registers a browser once the service has a key for pushes, and again as the same device", async () => {
    await expect(create("bob", browser())).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      details: { field: "type" },
    });
    await putPublicPushKey(db.table, "public");
    const { deviceId, secret } = await create("bob", browser());
    expect(secret).toBeUndefined();
    expect((await create("bob", browser())).deviceId).toBe(deviceId);
    expect((await create("bob", browser("https://push.example/2"))).deviceId).not.toBe(deviceId);
    expect(await list("bob")).toMatchObject({ devices: [{}, {}], pushKey: "public" });
  });

  it.each<[string, GivenDevice, string]>([
    ["no https", webhook("http://hooks.example/"), "url"],
    ["another scheme", webhook("ftp://hooks.example/"), "url"],
    ["a password", webhook("https://a:b@hooks.example/"), "url"],
    ["no URL", webhook("hooks"), "url"],
    ["no point of the curve", broken(), "subscription.keys.p256dh"],
  ])("refuses %s, and changes nothing", async (_, given, field) => {
    await expect(create("carl", given)).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      details: { field },
    });
    expect(await list("carl")).toMatchObject({ devices: [] });
  });

  it("refuses a host with a private address", async () => {
    const rules = { ...openRules, isAllowed: (address: string) => address !== "8.8.8.8" };
    await putPublicPushKey(db.table, "public");
    for (const [given, field] of [
      [webhook(), "url"],
      [browser(), "subscription.endpoint"],
    ] as const)
      await expect(
        createDevice({ table: db.table, ...rules }, { userID: "carl", given, now }),
      ).rejects.toMatchObject({ code: "INVALID_REQUEST", details: { field } });
  });

  it("accepts at most 20 of 50 devices at once, and others after some are gone or have left", async () => {
    const urls = Array.from({ length: 50 }, (_, index) => `https://hooks.example/${index}`);
    const createAll = (part: string[]) => Promise.allSettled(part.map((url) => create("dora", webhook(url))));
    // More requests at once would only wait for each other.
    const all = [...(await createAll(urls.slice(0, 25))), ...(await createAll(urls.slice(25)))];
    const added = all.filter(({ status }) => status === "fulfilled");
    const refused = all.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
    expect(added).toHaveLength(mostDevices);
    for (const reason of refused)
      expect(reason).toMatchObject({ code: "DEVICE_LIMIT_REACHED", details: { limit: 20 } });

    const [first, second] = (await list("dora")).devices;
    await removeDevice(db.table, { userID: "dora", deviceId: first?.deviceId ?? "" });
    await deleteDevice(db.table, { userID: "dora", deviceId: second?.deviceId ?? "" }, now);
    await create("dora", webhook("https://hooks.example/51"));
    await expect(create("dora", webhook("https://hooks.example/52"))).rejects.toMatchObject({
      code: "DEVICE_LIMIT_REACHED",
    });
    await create("dora", webhook("https://hooks.example/53"), inHours(24));
    expect((await list("dora", inHours(24))).devices).toHaveLength(20);
  });
});

function broken(): GivenDevice {
  const keys = { p256dh: Buffer.alloc(65, 4).toString("base64url"), auth: "A".repeat(22) };
  return {
    type: "push",
    name: "Phone",
    subscription: { endpoint: "https://push.example/", keys },
    wants: wantsAll,
  };
}

describe("deleteDevice", () => {
  it("lets the last device leave a day later, and changes nothing when it is repeated", async () => {
    const { deviceId } = await create("eve", webhook());
    const name = { userID: "eve", deviceId };
    const left = await deleteDevice(db.table, name, now);
    expect(left.leavesAt).toBe(inHours(24).toISOString());
    expect(await deleteDevice(db.table, name, inHours(12))).toEqual(left);
    expect((await list("eve", inHours(23.9))).devices).toEqual([left]);
    expect((await list("eve", inHours(24))).devices).toEqual([]);
    await expect(deleteDevice(db.table, name, inHours(24))).rejects.toMatchObject({
      code: "DEVICE_NOT_FOUND",
    });
    const items = await itemsNamed(db.table, "DEVICEKEYS#eve ");
    expect(items).toMatchObject([{ expiresAt: inHours(24).getTime() / 1000 }]);
  });

  it("knows no device of another user", async () => {
    const { deviceId } = await create("fred", webhook());
    await expect(deleteDevice(db.table, { userID: "gina", deviceId }, now)).rejects.toMatchObject({
      code: "DEVICE_NOT_FOUND",
    });
    expect((await list("fred")).devices[0]).not.toHaveProperty("leavesAt");
  });
});
