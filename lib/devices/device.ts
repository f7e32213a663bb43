import { epochSeconds } from "../core/time.ts";

export const deviceTypes = ["push", "webhook"] as const;

export type DeviceType = (typeof deviceTypes)[number];

/** Kinds of notices that a device gets only if its user wants them. All others concern custody. */
export const choices = ["fills", "rejections", "resting"] as const;

export type NoticeChoice = (typeof choices)[number];

export type Wants = Readonly<Record<NoticeChoice, boolean>>;

/** Reasons why a device did not get a notice. */
export const deliveryFaults = [
  "UNREACHABLE",
  "TOO_SLOW",
  "PRIVATE_ADDRESS",
  "BAD_STATUS",
  "NO_PUSH_KEY",
] as const;

export type DeliveryFault = (typeof deliveryFaults)[number];

/** The last notice that a device did not get. `status` is that of an HTTP response. */
export type DeliveryFailure = { time: string; code: DeliveryFault; status?: number | undefined };

/** A browser or a webhook that gets notices. */
export type Device = {
  userID: string;
  deviceId: string;
  type: DeviceType;
  name: string;
  /** Host of the address, by which users know the device. The rest of the address is secret. */
  host: string;
  wants: Wants;
  createdAt: string;
  /** Time until which a device that its user removes still gets notices about custody. */
  leavesAt?: string | undefined;
  /** Number of attempts in a row that have failed. */
  failures?: number | undefined;
  /** Time before which there is no other attempt. Present if the last one failed or was slow, or is under way. */
  retryAt?: string | undefined;
  lastFailure?: DeliveryFailure | undefined;
  /** Time when DynamoDB may delete the record, in epoch seconds. */
  expiresAt?: number | undefined;
};

/** Addresses of a device's notices, and the keys or the secret for them. */
export type DeviceAddress =
  | { url: string; p256dh: string; auth: string; secret?: undefined }
  | { url: string; secret: string };

/** Maximum number of devices of a user, including those that are leaving. */
export const mostDevices = 20;

/** Delay before a removed device gets no more notices, so that a thief cannot silence an owner. */
const leavingMs = 24 * 3_600_000;

/** Computes when a device that is removed now leaves. */
export function leavingFrom(now: Date): { leavesAt: string; expiresAt: number } {
  const leavesAt = new Date(now.getTime() + leavingMs);
  return { leavesAt: leavesAt.toISOString(), expiresAt: epochSeconds(leavesAt) };
}

export const hasLeft = ({ leavesAt }: Pick<Device, "leavesAt">, now: Date): boolean =>
  leavesAt !== undefined && Date.parse(leavesAt) <= now.getTime();

const firstPauseSeconds = 10;
const longestPauseSeconds = 4 * 3600;

/** Seconds before the next attempt to reach a device, after this many failed ones in a row. */
export const pauseAfter = (failures: number): number =>
  Math.min(firstPauseSeconds * 4 ** (failures - 1), longestPauseSeconds);

/** Longest time that an answer may take. After a slower one, the device gets a rest. */
const slowMs = 2000;
const restFactor = 30;

/**
 * Computes how long a slow device is left alone, so that no user can occupy the runs that bring the notices of all
 * others. Undefined if its answer was quick.
 */
export const restMsAfter = (tookMs: number): number | undefined =>
  tookMs > slowMs ? restFactor * tookMs : undefined;

/** The parts of a device that its user sees. */
export function shownDevice({ userID: _, failures: __, retryAt: ___, expiresAt: ____, ...shown }: Device) {
  return shown;
}
