import { describe, expect, it } from "vitest";
import { subscribe } from "../../lib/realtime/subscribe.ts";
import { newAnnouncement, newExportRequest } from "../../lib/wallets/export/wallet-export.ts";
import { announcedExportKey, exportKey } from "../../lib/wallets/item-keys.ts";
import { newWallet } from "../../lib/wallets/wallet.ts";
import { putItems } from "../support/items.ts";
import { sequenceNumberOf, streamRecord } from "../support/stream.ts";
import { publishingForTests } from "./support/publishing.ts";

const scene = publishingForTests();
const publicKey = { kty: "EC", crv: "P-256", x: "x", y: "y" } as const;
const now = new Date("2026-11-22T10:00:00.000Z");

function requested(userID: string) {
  const named = { userID, network: "eth", address: "0x1", now } as const;
  const wallet = { ...newWallet("imported", named), slot: 1, version: 1 };
  const request = newExportRequest(wallet, { publicKey, delaySeconds: 60 }, now);
  const announced = newAnnouncement(
    request,
    { previous: undefined, delaySeconds: 60, tableId: scene.table.id },
    now,
  );
  return { announced, request, item: { ...announcedExportKey(userID, wallet._id), ...announced } };
}

describe("subscribe with a requested export", () => {
  it("announces a requested export to users who were offline until the export ends, whatever their channels", async () => {
    await scene.connect("fred", "f-1");
    const { announced, item } = requested("fred");
    const { walletId, availableAt, thumbprint, version } = announced;
    const name = { userID: "fred", connectionId: "f-1", channels: ["prices"] };
    const typesAt = async (time: Date) =>
      (await subscribe(scene.table, { ...name, now: time })).map(({ type }) => type);
    await putItems(scene.table, [item]);
    const answer = await subscribe(scene.table, { ...name, now });
    expect(answer.at(-1)).toEqual({
      type: "WalletExportRequested",
      time: now.toISOString(),
      data: { walletId, availableAt, thumbprint, version },
    });
    expect(await typesAt(new Date(announced.expiresAt * 1000))).not.toContain("WalletExportRequested");
    await putItems(scene.table, [{ ...item, cancelledAt: now.toISOString() }]);
    expect(await typesAt(now)).toEqual(["subscriptions", "snapshot"]);
  });
});

describe("publish for a requested export", () => {
  it("sends a requested export to all connections of the user, even without channels, and to the operators' bus", async () => {
    await scene.connect("ann", "a-1", ["orders"]);
    await scene.connect("ann", "a-2");
    await scene.connect("bob", "b-1", ["orders"]);
    const { announced, item } = requested("ann");
    const { walletId, availableAt, thumbprint, version } = announced;
    expect(await scene.publishAll([streamRecord(item)])).toEqual([]);
    const message = {
      type: "WalletExportRequested",
      time: scene.now.toISOString(),
      data: { walletId, availableAt, thumbprint, version },
    };
    for (const connectionId of ["a-1", "a-2"]) expect(scene.received(connectionId)).toEqual([message]);
    expect(scene.received("b-1")).toEqual([]);
    expect(availableAt).toBe("2026-11-22T10:01:00.000Z");
    expect(scene.putNotice.mock.calls).toEqual([
      [
        { type: "WalletExportRequested", detail: { userID: "ann", walletId, availableAt, thumbprint } },
        expect.any(String),
      ],
    ]);
  });

  it("retries the change of a notice that the bus rejects, and no other, and pushes without delay", async () => {
    const records = ["carl", "dora", "fred"].map((userID) => streamRecord(requested(userID).item));
    await scene.connect("dora", "d-1");
    // Fails once all notices are on their way.
    const allPut = Promise.withResolvers<void>();
    scene.putNotice.mockImplementation(async ({ detail: { userID } }) => {
      if (scene.putNotice.mock.calls.length === 3) allPut.resolve();
      await allPut.promise;
      if (userID !== "fred") throw new Error("the bus is down");
    });
    expect(await scene.publishAll(records)).toEqual(records.slice(0, 2).map(sequenceNumberOf));
    expect(scene.onFault).toHaveBeenCalledTimes(2);
    expect(scene.received("d-1")).toHaveLength(1);
  });

  it("puts the notice when its change is retried", async () => {
    const record = streamRecord(requested("carl").item);
    scene.putNotice.mockRejectedValueOnce(new Error("the bus is down"));
    expect(await scene.publishAll([record])).toEqual([sequenceNumberOf(record)]);
    expect(await scene.publishAll([record])).toEqual([]);
    expect(scene.putNotice).toHaveBeenCalledTimes(2);
  });

  it("puts no notice after the deadline, but retries its change", async () => {
    const deadline = new Date(0);
    const record = streamRecord(requested("erin").item);
    expect(await scene.publishAll([record], { deadline })).toEqual([sequenceNumberOf(record)]);
    expect(scene.putNotice).not.toHaveBeenCalled();
    expect(scene.onFault.mock.calls).toEqual([[expect.objectContaining({ name: "OutOfTime" })]]);
  });

  it("repeats no notice of a change that is older than an hour, but retries the change", async () => {
    const madeAt = (minutes: number) => new Date(scene.now.getTime() - minutes * 60_000);
    const records = [59, 61].map((minutes) =>
      streamRecord(requested(`gina-${minutes}`).item, undefined, madeAt(minutes)),
    );
    expect(await scene.publishAll(records)).toEqual(records.slice(1).map(sequenceNumberOf));
    expect(scene.putNotice.mock.calls.map(([{ detail }]) => detail.userID)).toEqual(["gina-59"]);
    expect(scene.onFault.mock.calls).toEqual([[expect.objectContaining({ name: "NoticeTooOld" })]]);
  });

  it("retries an export whose message cannot be encoded, after putting its notice", async () => {
    const record = streamRecord({ ...requested("hank").item, version: "one" });
    expect(await scene.publishAll([record])).toEqual([sequenceNumberOf(record)]);
    expect(scene.putNotice.mock.calls.map(([{ detail }]) => detail.userID)).toEqual(["hank"]);
    expect(scene.onFault).toHaveBeenCalledTimes(1);
  });

  it("retries an export that cannot be read", async () => {
    const { dynamodb, ...record } = streamRecord(requested("iris").item);
    const { NewImage: _, ...withoutImage } = dynamodb ?? {};
    expect(await scene.publishAll([{ ...record, dynamodb: withoutImage }])).toEqual([
      withoutImage.SequenceNumber,
    ]);
    expect(scene.onFault).toHaveBeenCalledTimes(1);
  });

  it("announces no sealed or cancelled exports, and trusts only items that sealExport has written", async () => {
    const { item, request } = requested("ann");
    const planted = { ...item, PK: `EXPORT#${item.userID}` };
    await scene.publishAll([
      streamRecord({ ...item, times: 1 }, item),
      streamRecord({ ...item, cancelledAt: now.toISOString() }, item),
      { ...streamRecord(item), eventName: "REMOVE" },
      streamRecord({ ...exportKey(item.userID, item.walletId), ...request }),
      streamRecord(planted),
    ]);
    expect(scene.putNotice).not.toHaveBeenCalled();
  });
});
