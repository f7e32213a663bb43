import { ECDH, randomBytes, randomUUID } from "node:crypto";
import { DomainError } from "../core/domain-error.ts";
import { hashedId } from "../core/record-ids.ts";
import type { Table } from "../table/table.ts";
import { type Device, type DeviceAddress, mostDevices, shownDevice, type Wants } from "./device.ts";
import {
  type DeviceName,
  devicesOfUser,
  discountDevices,
  letLeave,
  putDevice,
  readPublicPushKey,
} from "./device-records.ts";
import { type AddressRule, allowedAddresses, type FindAddresses } from "./public-address.ts";

type Named = { name: string; wants: Wants };

/** A device as its user registers it. */
export type GivenDevice = Named &
  (
    | { type: "push"; subscription: { endpoint: string; keys: { p256dh: string; auth: string } } }
    | { type: "webhook"; url: string }
  );

/** What decides which addresses notices may go to. */
export type AddressRules = {
  isAllowed: AddressRule;
  /** True if URLs without TLS are allowed. */
  isPlainAllowed: boolean;
  find?: FindAddresses;
};

export type ShownDevice = ReturnType<typeof shownDevice>;

/**
 * Adds a device. A browser that subscribes again replaces its device. A webhook's secret is returned this once.
 *
 * @throws {DomainError} INVALID_REQUEST if notices cannot be sent there, and DEVICE_LIMIT_REACHED.
 */
export async function createDevice(
  { table, ...rules }: AddressRules & { table: Table },
  { userID, given, now }: { userID: string; given: GivenDevice; now: Date },
): Promise<ShownDevice & { secret?: string }> {
  const { type, name, wants } = given;
  const address = addressOf(given);
  const host = await checkedHost(address.url, type === "push" ? "subscription.endpoint" : "url", rules);
  if (type === "push" && (await readPublicPushKey(table)) === undefined)
    throw invalid("type", "must be webhook: this service has no key for pushes");
  const id = type === "push" ? address.url : randomUUID();
  const device: Device = {
    userID,
    deviceId: hashedId(["device", userID, id]),
    type,
    name,
    host,
    wants,
    createdAt: now.toISOString(),
  };
  const isAdded = await putDevice(table, device, address);
  const isAddedNow =
    isAdded || ((await discountDevices(table, userID, now)) && (await putDevice(table, device, address)));
  if (!isAddedNow)
    throw new DomainError("DEVICE_LIMIT_REACHED", `A user has at most ${mostDevices} devices`, {
      limit: mostDevices,
    });
  return { ...shownDevice(device), ...(address.secret !== undefined && { secret: address.secret }) };
}

const invalid = (field: string, problem: string) =>
  new DomainError("INVALID_REQUEST", `${field} ${problem}`, { field });

const secretBytes = 32;

function addressOf(given: GivenDevice): DeviceAddress {
  if (given.type === "webhook")
    return { url: given.url, secret: `whsec_${randomBytes(secretBytes).toString("base64")}` };
  const { endpoint, keys } = given.subscription;
  try {
    ECDH.convertKey(keys.p256dh, "prime256v1", "base64url");
  } catch {
    throw invalid("subscription.keys.p256dh", "must be a point of the curve P-256");
  }
  return { url: endpoint, ...keys };
}

async function checkedHost(text: string, field: string, { isAllowed, isPlainAllowed, find }: AddressRules) {
  const url = URL.parse(text);
  const isSafe = url?.protocol === "https:" || (isPlainAllowed && url?.protocol === "http:");
  if (url === null || !isSafe) throw invalid(field, "must be an https URL");
  if (url.username !== "" || url.password !== "")
    throw invalid(field, "must be a URL without user name and password");
  await allowedAddresses(url.hostname, isAllowed, find).catch(() => {
    throw invalid(field, "must name a host with only public addresses");
  });
  return url.host;
}

/** Lists the user's devices, oldest first, with the key that browsers subscribe with. */
export async function listDevices(
  table: Table,
  { userID, now }: { userID: string; now: Date },
): Promise<{ devices: ShownDevice[]; pushKey?: string }> {
  const [devices, pushKey] = await Promise.all([devicesOfUser(table, userID, now), readPublicPushKey(table)]);
  const sorted = devices.toSorted((one, other) => (one.createdAt < other.createdAt ? -1 : 1));
  return { devices: sorted.map(shownDevice), ...(pushKey !== undefined && { pushKey }) };
}

/**
 * Removes a device after a day, during which it still gets notices about custody. Removing it again changes nothing.
 *
 * @throws {DomainError} DEVICE_NOT_FOUND
 */
export async function deleteDevice(table: Table, name: DeviceName, now: Date): Promise<ShownDevice> {
  const device = await letLeave(table, name, now);
  if (device === undefined) throw new DomainError("DEVICE_NOT_FOUND", "Device not found");
  return shownDevice(device);
}
