import { DomainError } from "./domain-error.ts";
import type { Network } from "./network.ts";
import { type PublicJwk, thumbprintOf } from "./sealing.ts";
import { isActive, type Wallet } from "./wallet.ts";

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
  availableAt: string;
  /** In epoch seconds: until then the wallet can be exported, and later the table may remove the request. */
  expiresAt: number;
  /** Grows with each request for the wallet, also after one was cancelled. */
  version: number;
};

/** The most requests of a user on one day of UTC. */
export const requestsPerDay = 3;

/** How often a wallet is sealed for one request: the answer may get lost. */
export const sealsPerRequest = 3;

const availableSeconds = 86_400;

export function newExportRequest(
  { UserID: userID, _id: walletId, network, generatedWalletAddress: address }: Wallet,
  { publicKey: { kty, crv, x, y }, delaySeconds }: { publicKey: PublicJwk; delaySeconds: number },
  now: Date,
): ExportRequest {
  const publicKey = { kty, crv, x, y };
  const availableAt = new Date(now.getTime() + delaySeconds * 1000);
  return {
    userID,
    walletId,
    network,
    address,
    publicKey,
    thumbprint: thumbprintOf(publicKey),
    requestedAt: now.toISOString(),
    availableAt: availableAt.toISOString(),
    expiresAt: Math.floor(availableAt.getTime() / 1000) + availableSeconds,
    version: now.getTime(),
  };
}

/** Whether it is too late for a request. The table removes it hours or days later. */
export const isOver = ({ expiresAt }: Pick<ExportRequest, "expiresAt">, now: Date): boolean =>
  expiresAt * 1000 <= now.getTime();

/** Whether the wallet can be exported now. The delay counts anew from what the request says of its beginning. */
export function isReady(request: ExportRequest, delaySeconds: number, now: Date): boolean {
  const { requestedAt, availableAt, publicKey, thumbprint } = request;
  const earliest = Math.max(Date.parse(requestedAt) + delaySeconds * 1000, Date.parse(availableAt));
  // `>=` is false for times that cannot be read.
  return now.getTime() >= earliest && !isOver(request, now) && thumbprintOf(publicKey) === thumbprint;
}

/** Whether a wallet is the one that is to be exported, and may be. */
export const isOfRequest = ({ walletId }: ExportRequest, wallet: Wallet | undefined): wallet is Wallet =>
  wallet !== undefined && wallet._id === walletId && isActive(wallet);

export const noSuchExport = () =>
  new DomainError("EXPORT_NOT_FOUND", "No export of this wallet is requested");

export const tooManyExports = (limit: number) =>
  new DomainError(
    "EXPORT_LIMIT_REACHED",
    `At most ${limit} of these are possible. Another day has room for more.`,
    { limit },
  );
