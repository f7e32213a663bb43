import type { SQSRecord } from "aws-lambda";
import { describe, expect, it, vi } from "vitest";
import {
  createDevice,
  deleteDevice,
  type GivenDevice,
  listDevices,
} from "../../lib/devices/change-devices.ts";
import { putPublicPushKey } from "../../lib/devices/device-records.ts";
import { notifyOwners } from "../../lib/devices/notify-owner.ts";
import type { DeviceRequest, Posted } from "../../lib/devices/post.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { browser, openRules, webhook } from "./support.ts";

const db = tableForTests();
const start = Date.parse("2026-11-22T10:00:00.000Z");
const hourMs = 3_600_000;

/** A user with devices that answer as told, and queues in virtual time. */
class Scene {
  readonly userID: string;
  nowMs = start;
  answer: (request: DeviceRequest) => Posted = () => ({ status: 204 });
  readonly posted: { url: string; id: unknown; atMs: number }[] = [];
  readonly onLost = vi.fn();
  readonly onFault = vi.fn();
  #queue: { record: SQSRecord; atMs: number }[] = [];
  #notices = 0;

  constructor(userID: string) {
    this.userID = userID;
  }

  async add(given: GivenDevice): Promise<string> {
    const { userID, nowMs } = this;
    const deps = { table: db.table, ...openRules };
    return (await createDevice(deps, { userID, given, now: new Date(nowMs) })).deviceId;
  }

  async devices() {
    const { userID, nowMs } = this;
    return (await listDevices(db.table, { userID, now: new Date(nowMs) })).devices;
  }

  remove = (deviceId: string) =>
    deleteDevice(db.table, { userID: this.userID, deviceId }, new Date(this.nowMs));

  async notify(type: string, detail: object = {}): Promise<void> {
    const body = JSON.stringify({
      source: "trading-terminal",
      "detail-type": type,
      time: new Date(this.nowMs).toISOString(),
      detail: { ...detail, userID: this.userID, noticeId: `notice-${++this.#notices}` },
    });
    expect(await this.#run(recordOf(body))).toEqual([]);
  }

  /** Handles the messages that are due until a given time, in the order in which the queue delivers them. */
  async until(ms: number): Promise<void> {
    for (;;) {
      const [next] = this.#queue.toSorted((one, other) => one.atMs - other.atMs);
      if (next === undefined || next.atMs > start + ms) break;
      this.nowMs = Math.max(this.nowMs, next.atMs);
      const failed = await this.#run(next.record);
      if (failed.length === 0) this.#queue = this.#queue.filter((each) => each !== next);
      else expect(next.atMs).toBeGreaterThan(this.nowMs);
    }
    this.nowMs = start + ms;
  }

  /** Handles all messages that are due at this time in one batch. */
  async atOnce(ms: number): Promise<void> {
    this.nowMs = start + ms;
    await this.#run(...this.#queue.filter(({ atMs }) => atMs <= this.nowMs).map(({ record }) => record));
  }

  async #run(...records: SQSRecord[]) {
    const { batchItemFailures } = await notifyOwners(
      {
        table: db.table,
        post: async (request) => {
          const { url, headers } = request;
          this.posted.push({ url, id: headers["webhook-id"] ?? headers.Topic, atMs: this.nowMs - start });
          return this.answer(request);
        },
        pushKey: async () => undefined,
        queueRetry: async (retry, seconds) => {
          this.#queue.push({ record: recordOf(JSON.stringify(retry)), atMs: this.nowMs + seconds * 1000 });
        },
        postpone: async (hidden, seconds) => {
          const found = this.#queue.find(({ record: queued }) => queued === hidden);
          if (found) found.atMs = this.nowMs + seconds * 1000;
        },
        onLost: this.onLost,
        onFault: this.onFault,
        now: () => new Date(this.nowMs),
      },
      records,
    );
    return batchItemFailures;
  }
}

const recordOf = (body: string) => ({ messageId: "m1", receiptHandle: "r1", body }) as SQSRecord;

describe("notifyOwners", () => {
  it("sends what traders want to devices that want it, and custody notices to all", async () => {
    const scene = new Scene("ann");
    await scene.add(webhook("https://hooks.example/all"));
    await scene.add(
      webhook("https://hooks.example/none", { fills: false, rejections: false, resting: false }),
    );
    await scene.notify("OrderFilled");
    await scene.notify("OrderRejected");
    await scene.notify("RestingOrderEnded");
    expect(scene.posted.map(({ url }) => url)).toEqual(Array(3).fill("https://hooks.example/all"));
    for (const type of ["WalletExportRequested", "PolicyLoosened", "ProgramKeyAdded", "DeviceRemoved"])
      await scene.notify(type);
    expect(scene.posted.filter(({ url }) => url.endsWith("none"))).toHaveLength(4);
  });

  it("tells a leaving device of custody until it has left, and announces a new one to the others", async () => {
    const scene = new Scene("bob");
    const leaving = await scene.add(webhook("https://hooks.example/old"));
    await scene.remove(leaving);
    const added = await scene.add(webhook("https://hooks.example/new"));
    await scene.notify("DeviceAdded", { deviceId: added });
    await scene.notify("OrderFilled");
    scene.nowMs += 24 * hourMs;
    await scene.notify("ExportsUnlocked");
    expect(scene.posted.map(({ url }) => url.slice(-3))).toEqual(["old", "new", "new"]);
  });

  it("tries a device again with growing pauses, with one id, until it answers", async () => {
    const scene = new Scene("carl");
    await scene.add(webhook());
    const faults: Posted[] = [{ status: 500 }, { fault: "TOO_SLOW" }, { status: 302 }, { status: 404 }];
    scene.answer = () => faults.shift() ?? { status: 200 };
    await scene.notify("PolicyLoosened");
    await scene.until(hourMs);
    const seconds = scene.posted.map(({ atMs }) => atMs / 1000);
    const pauses = seconds.slice(1).map((each, index) => each - (seconds[index] ?? 0));
    for (const [index, least] of [10, 40, 160, 640].entries())
      expect(pauses[index]).toSatisfy((pause: number) => pause >= least && pause <= least + 1);
    expect(new Set(scene.posted.map(({ id }) => id))).toEqual(new Set(["notice-1"]));
    const [device] = await scene.devices();
    expect(device?.lastFailure).toMatchObject({ code: "BAD_STATUS", status: 404 });
    await scene.notify("PolicyLoosened");
    expect(scene.posted).toHaveLength(6);
  });

  it("gives up a device that fails for a day, says so to its user, and continues with the next notice", async () => {
    const scene = new Scene("dora");
    await scene.add(webhook("https://hooks.example/dead"));
    await scene.add(webhook("https://hooks.example/alive"));
    scene.answer = ({ url }) => ({ status: url.endsWith("dead") ? 500 : 200 });
    await scene.notify("PolicyLoosened");
    await scene.until(48 * hourMs);
    expect(scene.onLost).toHaveBeenCalledTimes(1);
    const dead = scene.posted.filter(({ url }) => url.endsWith("dead"));
    expect(dead.length).toSatisfy((count: number) => count >= 11 && count <= 13);
    expect(dead.at(-1)?.atMs).toBeLessThanOrEqual(24 * hourMs);
    expect(scene.posted.filter(({ url }) => url.endsWith("alive"))).toHaveLength(1);
    expect((await scene.devices()).map(({ lastFailure }) => lastFailure?.status)).toEqual(
      expect.arrayContaining([500, undefined]),
    );
    scene.answer = () => ({ status: 200 });
    await scene.notify("PolicyLoosened");
    expect(scene.posted.slice(-2).map(({ url }) => url)).toEqual(
      expect.arrayContaining(["https://hooks.example/dead"]),
    );
  });

  it("tries a dead device once after each pause, however many notices there are for it", async () => {
    const scene = new Scene("eve");
    await scene.add(webhook());
    scene.answer = () => ({ fault: "TOO_SLOW" });
    for (let count = 0; count < 30; count++) await scene.notify("OrderFilled");
    expect(scene.posted).toHaveLength(1);
    scene.answer = () => ({ status: 200 });
    await scene.until(hourMs);
    expect(scene.posted).toHaveLength(31);
    expect(new Set(scene.posted.map(({ id }) => id)).size).toBe(30);
  });

  it("tries only one of many notices that are due at once for a device that has failed", async () => {
    const scene = new Scene("erin");
    await scene.add(webhook());
    scene.answer = () => ({ status: 500 });
    for (let count = 0; count < 10; count++) await scene.notify("OrderFilled");
    await scene.atOnce(60_000);
    expect(scene.posted).toHaveLength(2);
  });

  it.each([
    ["fails", 500, 15_000],
    ["is slow", 200, 155_000],
  ])(
    "lets a notice of custody overtake a flood of fills for a device that %s",
    async (_, status, readyMs) => {
      const scene = new Scene(`flooded ${status}`);
      await scene.add(webhook());
      scene.answer = () => {
        scene.nowMs += 5000;
        return { status };
      };
      for (let count = 0; count < 20; count++) await scene.notify("OrderFilled");
      await scene.notify("WalletExportRequested");
      scene.answer = () => ({ status: 204 });
      scene.nowMs = start + readyMs;
      await scene.notify("OrderFilled");
      await scene.until(hourMs);
      expect([scene.posted.length > 20, scene.posted[1]?.id]).toEqual([true, "notice-21"]);
    },
  );

  it("pauses a slow device for 30 times as long as it took, and never pauses a quick one", async () => {
    const scene = new Scene("emil");
    await scene.add(webhook());
    for (let count = 0; count < 5; count++) await scene.notify("ProgramKeyAdded");
    expect(scene.posted).toHaveLength(5);
    scene.answer = () => {
      scene.nowMs += 9000;
      return { status: 200 };
    };
    for (let count = 0; count < 5; count++) await scene.notify("ProgramKeyAdded");
    expect(scene.posted).toHaveLength(6);
    await scene.until(250_000);
    expect(scene.posted).toHaveLength(6);
    await scene.until(hourMs);
    const waited = scene.posted
      .slice(6)
      .map(({ atMs }, index) => atMs - (scene.posted[5 + index]?.atMs ?? 0));
    expect(waited.length).toBe(4);
    expect(Math.min(...waited)).toBeGreaterThanOrEqual(279_000);
    expect(scene.onLost).not.toHaveBeenCalled();
    expect((await scene.devices())[0]).not.toHaveProperty("lastFailure");
  });

  it("removes devices that are gone, but no webhook for a 404", async () => {
    const scene = new Scene("fred");
    await putPublicPushKey(db.table, "public");
    await scene.add(webhook("https://hooks.example/404"));
    await scene.add(webhook("https://hooks.example/410"));
    scene.answer = ({ url }) => ({ status: Number(url.slice(-3)) });
    await scene.notify("PolicyLoosened");
    expect((await scene.devices()).map(({ host, lastFailure }) => [host, lastFailure?.status])).toEqual([
      ["hooks.example", 404],
    ]);
    await scene.until(hourMs);
    expect(scene.posted.filter(({ url }) => url.endsWith("410"))).toHaveLength(1);
  });

  it("keeps pushes for browsers while the key for them is missing", async () => {
    const scene = new Scene("gina");
    await putPublicPushKey(db.table, "public");
    await scene.add(browser());
    await scene.notify("PolicyLoosened");
    expect((await scene.devices())[0]?.lastFailure).toMatchObject({ code: "NO_PUSH_KEY" });
    expect(scene.posted).toEqual([]);
  });

  it("does nothing for a user without devices, and leaves an unreadable message in its queue", async () => {
    const scene = new Scene("hans");
    await scene.notify("PolicyLoosened");
    expect(scene.posted).toEqual([]);
    const deps = { table: db.table, onFault: scene.onFault, now: () => new Date(start) };
    expect(await notifyOwners(deps as never, [recordOf("{}")])).toEqual({
      batchItemFailures: [{ itemIdentifier: "m1" }],
    });
    expect(scene.onFault).toHaveBeenCalledTimes(1);
  });
});
