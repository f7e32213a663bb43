import * as v from "valibot";
import { DomainError } from "../../core/domain-error.ts";
import { type Network, networks } from "../../core/network.ts";
import { epochSeconds } from "../../core/time.ts";
import { isJwkOnCurve, type PublicJwk, thumbprintOf } from "../keys/sealing.ts";
import { isActive, type Wallet } from "../wallet.ts";
import { endOfDelay, isOfTable, type LockState } from "./export-lock.ts";

/** A user's request to export a wallet, sealed to the user's own public key. */
export type ExportRequest = {
  userID: string;
  walletId: string;
  network: Network;
  address: string;
  publicKey: PublicJwk;
  /** Thumbprint of `publicKey` (RFC 7638). */
  thumbprint: string;
  requestedAt: string;
  /** Time until which the wallet can be exported, in epoch seconds. The table may remove the request later. */
  expiresAt: number;
  /** Version that grows with each request for the wallet and when a request is cancelled, independently of clocks. */
  version: number;
  cancelledAt?: string;
};

/**
 * Maximum accepted version, far above every time in milliseconds. If an attacker stored a greater one, no later version
 * could be stored as a number.
 */
const greatestVersion = 2 ** 52;

const Version = v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(greatestVersion));
const EpochSeconds = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const Time = v.pipe(v.string(), v.isoTimestamp());
const Coordinate = v.pipe(v.string(), v.regex(/^[\w-]{43}$/));

/** An address in the form of any network. Longer texts would exceed DynamoDB's limit for keys. */
const Address = v.pipe(v.string(), v.regex(/^(?:0x[\da-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$/));

const RequestSchema = v.pipe(
  v.strictObject({
    userID: v.string(),
    walletId: v.string(),
    network: v.picklist(networks),
    address: Address,
    publicKey: v.pipe(
      v.strictObject({ kty: v.literal("EC"), crv: v.literal("P-256"), x: Coordinate, y: Coordinate }),
      v.check((jwk) => isJwkOnCurve(jwk)),
    ),
    thumbprint: v.string(),
    requestedAt: Time,
    expiresAt: EpochSeconds,
    version: Version,
    cancelledAt: v.exactOptional(Time),
  }),
  v.check(({ publicKey, thumbprint }) => thumbprintOf(publicKey) === thumbprint),
);

/**
 * Reads a stored request. Does not trust it, because a compromised exportWallet could store anything.
 *
 * @returns undefined for a request that this service would not have written.
 */
export function exportRequestIn(stored: unknown): ExportRequest | undefined {
  const { success, output } = v.safeParse(RequestSchema, stored);
  return success ? output : undefined;
}

/**
 * A request as sealExport announced it to the user. The delay counts from the announcement, because the function that
 * takes requests is not trusted and could forge the dates of requests.
 */
export type AnnouncedExport = {
  userID: string;
  walletId: string;
  /** Version of the announced request. */
  requestVersion: number;
  thumbprint: string;
  seenAt: string;
  availableAt: string;
  /**
   * Id of the table in which the export was announced. In any other table, such as a restored one, the announcement is
   * void.
   */
  tableId?: string;
  /**
   * Id of the user's last lock at the time of the announcement, if there was one. Any later lock makes the announcement
   * void.
   */
  lockId?: string;
  /** Time when the announcement expires, in epoch seconds. */
  expiresAt: number;
  /** Version that grows with each announcement for the wallet. */
  version: number;
  /** Number of times that the wallet was sealed for this request. */
  times?: number;
  cancelledAt?: string;
};

/** Maximum number of announcements to a user on one UTC day. */
export const announcementsPerDay = 3;

/** Maximum number of seals for one request. One is not enough, because an answer may get lost. */
export const sealsPerRequest = 3;

const availableSeconds = 86_400;

/**
 * Returns a version greater than the previous one. The version is at least the current time, because the table may have
 * removed the item with the previous version.
 */
const versionAfter = (previous: { version: number } | undefined, now: Date): number =>
  Math.max(now.getTime(), (previous?.version ?? 0) + 1);

export function newExportRequest(
  { UserID: userID, _id: walletId, network, generatedWalletAddress: address }: Wallet,
  {
    publicKey: { kty, crv, x, y },
    delaySeconds,
    previous,
  }: { publicKey: PublicJwk; delaySeconds: number; previous?: ExportRequest | undefined },
  now: Date,
): ExportRequest {
  const publicKey = { kty, crv, x, y };
  return {
    userID,
    walletId,
    network,
    address,
    publicKey,
    thumbprint: thumbprintOf(publicKey),
    requestedAt: now.toISOString(),
    expiresAt: epochSeconds(now) + delaySeconds + availableSeconds,
    version: versionAfter(previous, now),
  };
}

/** Data for an announcement: the user's last lock, and the id of the table. */
type Announcer = { lockId?: string | undefined; tableId: string | undefined };

/** @param previous the last announcement for the wallet. */
export function newAnnouncement(
  { userID, walletId, version: requestVersion, thumbprint }: ExportRequest,
  {
    previous,
    delaySeconds,
    lockId,
    tableId,
  }: { previous: AnnouncedExport | undefined; delaySeconds: number } & Announcer,
  now: Date,
): AnnouncedExport {
  const availableAt = new Date(now.getTime() + delaySeconds * 1000);
  return {
    userID,
    walletId,
    requestVersion,
    thumbprint,
    seenAt: now.toISOString(),
    availableAt: availableAt.toISOString(),
    ...(tableId !== undefined && { tableId }),
    ...(lockId !== undefined && { lockId }),
    expiresAt: epochSeconds(availableAt) + availableSeconds,
    version: versionAfter(previous, now),
  };
}

/** True if the request has expired. The table removes it hours or days later. */
export const isOver = ({ expiresAt }: Pick<ExportRequest, "expiresAt">, now: Date): boolean =>
  expiresAt * 1000 <= now.getTime();

/** True if a request or an announcement can still lead to an export. */
export const isExportOpen = (
  { cancelledAt, expiresAt }: Pick<ExportRequest, "cancelledAt" | "expiresAt">,
  now: Date,
): boolean => cancelledAt === undefined && !isOver({ expiresAt }, now);

/** True if exactly this request was announced in this table, and the user has not locked exports since. */
export const isAnnounced = (
  { version, thumbprint }: ExportRequest,
  announced: AnnouncedExport | undefined,
  { lock, tableId, now }: { lock: LockState; tableId: string | undefined; now: Date },
): announced is AnnouncedExport =>
  announced !== undefined &&
  isExportOpen(announced, now) &&
  isOfTable(announced, tableId) &&
  isOfLock(announced, lock) &&
  announced.requestVersion === version &&
  announced.thumbprint === thumbprint;

/** True if the user has not locked exports since the announcement. */
export const isOfLock = ({ lockId }: Pick<AnnouncedExport, "lockId">, lock: LockState): boolean =>
  lock.status === "unlocked" && lock.lockId === lockId;

/** Returns when an announced export becomes possible. */
export const availableFrom = ({ seenAt, availableAt }: AnnouncedExport, delaySeconds: number): Date =>
  endOfDelay({ seenAt, announcedEnd: availableAt }, delaySeconds);

/** True if a wallet is the requested one and is active. */
export const isOfRequest = ({ walletId }: ExportRequest, wallet: Wallet | undefined): wallet is Wallet =>
  wallet !== undefined && wallet._id === walletId && isActive(wallet);

export const noSuchExport = () =>
  new DomainError("EXPORT_NOT_FOUND", "No export of this wallet is requested");

export const tooManyExports = () =>
  new DomainError(
    "EXPORT_LIMIT_REACHED",
    `You can request at most ${announcementsPerDay} exports a day. Try again tomorrow (UTC).`,
    { limit: announcementsPerDay },
  );

export const exportedTooOften = () =>
  new DomainError(
    "EXPORT_LIMIT_REACHED",
    `The wallet was exported ${sealsPerRequest} times for this request, which is the limit. Request another export with a new key.`,
    { limit: sealsPerRequest },
  );
