import { getItems } from "../table/batch-get.ts";
import { containing, type Step, smallerThan } from "../table/step.ts";
import { type Item, queryRange, readItem, type Table, withoutKey } from "../table/table.ts";
import { patientAttempts } from "../table/until-written.ts";
import { write, writeOne } from "../table/write.ts";
import { type Device, type DeviceAddress, hasLeft, leavingFrom, mostDevices } from "./device.ts";
import { deviceAddressKey, deviceCountKey, deviceKey, devicesOf, pushKeyKey } from "./item-keys.ts";

/** Names a device. */
export type DeviceName = Pick<Device, "userID" | "deviceId">;

/** Devices that count towards a user's limit. Some of them may have left. DynamoDB has no empty set. */
type DeviceCount = { deviceIds?: Set<string> };

/** All requests that add a device of a user compete for the count. */
const countPatience = { attempts: patientAttempts };

/** Reads the user's devices, without those that have left. */
export async function devicesOfUser(table: Table, userID: string, now: Date): Promise<Device[]> {
  const devices = await queryRange<Device>(table, devicesOf(userID));
  return devices.filter((device) => !hasLeft(device, now)).map(withoutKey);
}

/** Reads a device with its address. Undefined if it was removed or has left. */
export async function readAddressedDevice(
  table: Table,
  { userID, deviceId }: DeviceName,
  now: Date,
): Promise<{ device: Device; address: DeviceAddress } | undefined> {
  const key = deviceKey(userID, deviceId);
  const items = await getItems<object>(table, [key, deviceAddressKey(userID, deviceId)]);
  const device = items.find(({ PK }) => PK === key.PK) as Item<Device> | undefined;
  const address = items.find(({ PK }) => PK !== key.PK) as DeviceAddress | undefined;
  return device === undefined || address === undefined || hasLeft(device, now)
    ? undefined
    : { device: withoutKey(device), address };
}

/**
 * Adds a device, or replaces the one with its id. Adds it to the user's count, which publishChanges reads, in the same
 * transaction. Returns false, without writing, if the user has as many devices as possible.
 */
export async function putDevice(table: Table, device: Device, address: DeviceAddress): Promise<boolean> {
  const { userID, deviceId } = device;
  const step: Step = [
    { kind: "put", key: deviceKey(userID, deviceId), item: device },
    { kind: "put", key: deviceAddressKey(userID, deviceId), item: address },
    {
      kind: "change",
      key: deviceCountKey(userID),
      add: { deviceIds: new Set([deviceId]) },
      when: [
        "absent",
        { deviceIds: undefined },
        { deviceIds: smallerThan(mostDevices) },
        { deviceIds: containing(deviceId) },
      ],
    },
  ];
  return write(table, step, countPatience);
}

/**
 * Stops counting devices that have left or were removed because they are gone. Returns false if there are none.
 *
 * Reads the count first: a device that is added meanwhile is in the transaction that counts it, so it is not mistaken
 * for one that has left.
 */
export async function discountDevices(table: Table, userID: string, now: Date): Promise<boolean> {
  const key = deviceCountKey(userID);
  const { deviceIds = new Set<string>() } = (await readItem<DeviceCount>(table, key)) ?? {};
  const devices = await devicesOfUser(table, userID, now);
  const gone = [...deviceIds].filter((id) => !devices.some(({ deviceId }) => deviceId === id));
  if (gone.length === 0) return false;
  await write(table, { kind: "change", key, take: { deviceIds: new Set(gone) } }, countPatience);
  return true;
}

/** Lets a device leave after the delay. Returns the device, which may be leaving already, or undefined if there is none. */
export async function letLeave(table: Table, name: DeviceName, now: Date): Promise<Device | undefined> {
  const { userID, deviceId } = name;
  const { leavesAt, expiresAt } = leavingFrom(now);
  const key = deviceKey(userID, deviceId);
  await write(table, [
    { kind: "change", key, set: { leavesAt, expiresAt }, when: { deviceId, leavesAt: undefined } },
    { kind: "change", key: deviceAddressKey(userID, deviceId), set: { expiresAt }, when: "present" },
  ]);
  const device = await readItem<Device>(table, key);
  return device === undefined || hasLeft(device, now) ? undefined : withoutKey(device);
}

/** Claims the next attempt to reach a device that failed or was slow. Returns false if another notice has claimed it. */
export async function claimAttempt(
  table: Table,
  { userID, deviceId, retryAt }: DeviceName & Pick<Device, "retryAt">,
  until: Date,
): Promise<boolean> {
  const { isWritten } = await writeOne(table, {
    kind: "change",
    key: deviceKey(userID, deviceId),
    set: { retryAt: until.toISOString() },
    when: { deviceId, retryAt },
  });
  return isWritten;
}

/** Notes an attempt to reach a device, unless the device was removed meanwhile. */
export async function noteAttempt(
  table: Table,
  { userID, deviceId }: DeviceName,
  outcome: Pick<Device, "failures" | "retryAt" | "lastFailure">,
): Promise<void> {
  await writeOne(table, {
    kind: "change",
    key: deviceKey(userID, deviceId),
    set: outcome,
    when: { deviceId },
  });
}

/** Removes a device whose address no longer exists. */
export async function removeDevice(table: Table, { userID, deviceId }: DeviceName): Promise<void> {
  await write(table, [
    { kind: "remove", key: deviceKey(userID, deviceId) },
    { kind: "remove", key: deviceAddressKey(userID, deviceId) },
  ]);
}

/** Reads the public key that browsers subscribe with. Undefined if operators have made none. */
export async function readPublicPushKey(table: Table): Promise<string | undefined> {
  return (await readItem<{ publicKey: string }>(table, pushKeyKey))?.publicKey;
}

/** Keeps the public key that browsers subscribe with. */
export async function putPublicPushKey(table: Table, publicKey: string): Promise<void> {
  await write(table, { kind: "put", key: pushKeyKey, item: { publicKey } });
}
