import type { SQSBatchResponse, SQSRecord } from "aws-lambda";
import * as v from "valibot";
import type { Table } from "../table/table.ts";
import { type DeliveryFailure, type Device, type DeviceAddress, pauseAfter, restMsAfter } from "./device.ts";
import {
  claimAttempt,
  type DeviceName,
  devicesOfUser,
  noteAttempt,
  readAddressedDevice,
  removeDevice,
} from "./device-records.ts";
import { requestFor } from "./device-request.ts";
import { isFor, isOfCustody, NoticeEvent, type OwnNotice } from "./notice.ts";
import type { DeviceRequest, Posted } from "./post.ts";
import type { PushKey } from "./push-key.ts";

export type NotifyDeps = {
  table: Table;
  post: (request: DeviceRequest) => Promise<Posted>;
  pushKey: () => Promise<PushKey | undefined>;
  /** Queues a notice for one device, to be tried again after some seconds. */
  queueRetry: (retry: DeviceName & { notice: OwnNotice }, seconds: number) => Promise<void>;
  /** Hides a queued retry for some seconds more. */
  postpone: (record: SQSRecord, seconds: number) => Promise<void>;
  /** Learns that a device did not get a notice within a day. */
  onLost: () => void;
  onFault: (error: unknown) => void;
  now: () => Date;
};

/** A notice for one device that could not be reached before. */
const Retry = v.object({
  userID: v.string(),
  deviceId: v.string(),
  notice: v.object({
    id: v.string(),
    userID: v.string(),
    type: v.string(),
    time: v.string(),
    data: v.record(v.string(), v.unknown()),
  }),
});

/** Time after which a device is no longer tried. */
const triedForMs = 24 * 3_600_000;

/**
 * Brings notices to the devices of their users. Each device is tried separately: one that fails gets the notice by the
 * queue of retries, where the pause grows with each failed attempt. Messages that failed are left in their queue.
 */
export async function notifyOwners(
  deps: NotifyDeps,
  records: readonly SQSRecord[],
): Promise<SQSBatchResponse> {
  const done = await Promise.all(
    records.map(async (record) => {
      try {
        const message: unknown = JSON.parse(record.body);
        if (v.is(Retry, message)) return await retry(deps, record, message);
        await notifyOwner(deps, v.parse(NoticeEvent, message));
        return true;
      } catch (error) {
        deps.onFault(error);
        return false;
      }
    }),
  );
  const failed = records.filter((_, index) => !done[index]);
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}

async function notifyOwner(deps: NotifyDeps, notice: OwnNotice): Promise<void> {
  const devices = await devicesOfUser(deps.table, notice.userID, deps.now());
  await Promise.all(
    devices
      .filter((device) => isFor(device, notice))
      .map(async ({ userID, deviceId }) => {
        const name = { userID, deviceId };
        const seconds = await attempt(deps, name, notice);
        if (seconds !== undefined) await deps.queueRetry({ ...name, notice }, seconds);
      }),
  );
}

/** Tries a device again. Returns false if the message must stay in its queue. */
async function retry(
  deps: NotifyDeps,
  record: SQSRecord,
  { notice, ...name }: v.InferOutput<typeof Retry>,
): Promise<boolean> {
  if (deps.now().getTime() - Date.parse(notice.time) > triedForMs) {
    deps.onLost();
    return true;
  }
  const seconds = await attempt(deps, name, notice);
  if (seconds === undefined) return true;
  await deps.postpone(record, seconds);
  return false;
}

/** Time for which a claim keeps other attempts away, which is longer than any attempt takes. */
const claimSeconds = 15;

/** Time by which other notices wait longer than those of custody, so that no flood of fills can hide a theft. */
const yieldMs = 5000;

/**
 * Tries to reach a device. While it fails or is slow, only one of its notices is tried after each pause, so that it does
 * not keep others waiting, however many notices there are for it.
 *
 * @returns the seconds after which to try again. Undefined if the device has the notice, or is gone.
 */
async function attempt(deps: NotifyDeps, name: DeviceName, notice: OwnNotice): Promise<number | undefined> {
  const { table, now } = deps;
  const found = await readAddressedDevice(table, name, now());
  if (found === undefined) return undefined;
  const { device, address } = found;
  const readyMs = Date.parse(device.retryAt ?? "") + (isOfCustody(notice) ? 0 : yieldMs);
  const waitMs = readyMs - now().getTime();
  if (waitMs > 0) return pauseOf(notice, waitMs / 1000);
  const startMs = now().getTime();
  const claimedUntil = new Date(startMs + claimSeconds * 1000);
  if (device.retryAt !== undefined && !(await claimAttempt(table, device, claimedUntil)))
    return pauseOf(notice, claimSeconds);
  const outcome = await deliver(deps, address, notice);
  if (outcome === "gone") await removeDevice(table, name);
  if (typeof outcome === "object") return pauseOf(notice, await noteFailure(deps, device, outcome));
  if (outcome === "delivered") await noteDelivery(deps, device, startMs);
  return undefined;
}

/** Statuses by which a push service or a webhook says that its address is no longer in use. */
const goneStatuses = { push: [404, 410], webhook: [410] } as const;

type Failure = Omit<DeliveryFailure, "time">;

async function deliver(
  { post, pushKey, now }: NotifyDeps,
  address: DeviceAddress,
  notice: OwnNotice,
): Promise<"delivered" | "gone" | Failure> {
  const isPush = address.secret === undefined;
  const key = isPush ? await pushKey() : undefined;
  const request = requestFor(address, notice, { pushKey: key, now: now() });
  if (request === undefined) return { code: "NO_PUSH_KEY" };
  const posted = await post(request);
  if ("fault" in posted) return { code: posted.fault };
  const { status } = posted;
  if (status >= 200 && status < 300) return "delivered";
  const gone: readonly number[] = goneStatuses[isPush ? "push" : "webhook"];
  return gone.includes(status) ? "gone" : { code: "BAD_STATUS", status };
}

async function noteDelivery({ table, now }: NotifyDeps, device: Device, startMs: number): Promise<void> {
  const nowMs = now().getTime();
  const restMs = restMsAfter(nowMs - startMs);
  const retryAt = restMs === undefined ? undefined : new Date(nowMs + restMs).toISOString();
  if (retryAt !== undefined || device.retryAt !== undefined)
    await noteAttempt(table, device, { failures: undefined, retryAt });
}

async function noteFailure({ table, now }: NotifyDeps, device: Device, failure: Failure): Promise<number> {
  const failures = (device.failures ?? 0) + 1;
  const seconds = pauseAfter(failures);
  const time = now();
  await noteAttempt(table, device, {
    failures,
    retryAt: new Date(time.getTime() + seconds * 1000).toISOString(),
    lastFailure: { time: time.toISOString(), ...failure },
  });
  return seconds;
}

/** Rounds up. Spreads notices for a device, so that they do not all come at once, but delays none of custody. */
const pauseOf = (notice: OwnNotice, seconds: number): number =>
  Math.ceil(isOfCustody(notice) ? seconds : seconds * (1 + Math.random() / 10));
