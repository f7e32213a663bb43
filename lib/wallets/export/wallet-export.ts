import { DomainError } from "../../core/domain-error.ts";
import type { Network } from "../../core/network.ts";
import { epochSeconds } from "../../core/time.ts";
import { type PublicJwk, thumbprintOf } from "../keys/sealing.ts";
import { isActive, type Wallet } from "../wallet.ts";

/** A user's request to export a wallet, sealed to a key of theirs. */
export type ExportRequest = {
  userID: string;
  walletId: string;
  network: Network;
  address: string;
  publicKey: PublicJwk;
  /** Of that key, by RFC 7638. */
  thumbprint: string;
  requestedAt: string;
  /** In epoch seconds: until then the wallet can be exported, and later the table may remove the request. */
  expiresAt: number;
  /** Grows with each request for the wallet, and when it is cancelled, whatever the clock says. */
  version: number;
  cancelledAt?: string;
};

/**
 * A request as sealExport saw it first, which announces it to the user. The delay counts from there: the dates of the request
 * are from the function that takes requests, which is not trusted.
 */
export type AnnouncedExport = {
  userID: string;
  walletId: string;
  /** Of the request that is announced. */
  requestVersion: number;
  thumbprint: string;
  seenAt: string;
  availableAt: string;
  /** In epoch seconds. */
  expiresAt: number;
  /** Grows with each announcement for the wallet. */
  version: number;
  /** How often the wallet was sealed. */
  times?: number;
  cancelledAt?: string;
};

/** The most requests of a user on one day of UTC. */
export const requestsPerDay = 3;

/** How often a wallet is sealed for one request: the answer may get lost. */
export const sealsPerRequest = 3;

const availableSeconds = 86_400;

/** Grows with each version, whatever the clock says. Items are removed, and versions start again: so they follow the time. */
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

/** @param previous What was announced for the wallet before. */
export function newAnnouncement(
  { userID, walletId, version: requestVersion, thumbprint }: ExportRequest,
  { previous, delaySeconds }: { previous: AnnouncedExport | undefined; delaySeconds: number },
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
    expiresAt: epochSeconds(availableAt) + availableSeconds,
    version: versionAfter(previous, now),
  };
}

/** Whether it is too late for a request. The table removes it hours or days later. */
export const isOver = ({ expiresAt }: Pick<ExportRequest, "expiresAt">, now: Date): boolean =>
  expiresAt * 1000 <= now.getTime();

/** Whether a request or an announcement can still lead to an export. */
export const isExportOpen = (
  { cancelledAt, expiresAt }: Pick<ExportRequest, "cancelledAt" | "expiresAt">,
  now: Date,
): boolean => cancelledAt === undefined && !isOver({ expiresAt }, now);

/** Whether the thumbprint of a request is that of its key. */
export const isConsistent = ({ publicKey, thumbprint }: ExportRequest): boolean =>
  thumbprintOf(publicKey) === thumbprint;

/** Whether this very request was announced. */
export const isAnnounced = (
  { version, thumbprint }: ExportRequest,
  announced: AnnouncedExport | undefined,
  now: Date,
): announced is AnnouncedExport =>
  announced !== undefined &&
  isExportOpen(announced, now) &&
  announced.requestVersion === version &&
  announced.thumbprint === thumbprint;

/** When an announced export is possible, if the delay has grown since too. */
export const availableFrom = ({ seenAt, availableAt }: AnnouncedExport, delaySeconds: number): Date =>
  new Date(Math.max(Date.parse(seenAt) + delaySeconds * 1000, Date.parse(availableAt)));

/** Whether a wallet is the one that is to be exported, and may be. */
export const isOfRequest = ({ walletId }: ExportRequest, wallet: Wallet | undefined): wallet is Wallet =>
  wallet !== undefined && wallet._id === walletId && isActive(wallet);

export const noSuchExport = () =>
  new DomainError("EXPORT_NOT_FOUND", "No export of this wallet is requested");

export const tooManyExports = (limit: number) =>
  new DomainError(
    "EXPORT_LIMIT_REACHED",
    `You can request at most ${limit} exports a day. Try again tomorrow (UTC).`,
    { limit },
  );

export const exportedTooOften = () =>
  new DomainError(
    "EXPORT_LIMIT_REACHED",
    `The wallet was exported ${sealsPerRequest} times for this request, which is the most. Request another export with a new key.`,
    { limit: sealsPerRequest },
  );
