import bs58 from "bs58";
import { unseal, type Vault } from "../../aws/vault.ts";
import type { Table } from "../../table/table.ts";
import { untilWritten } from "../../table/until-written.ts";
import { sealMessage } from "../keys/hpke.ts";
import { base64url, exportInfo, pointOfJwk } from "../keys/sealing.ts";
import type { WalletName } from "../wallet.ts";
import { announceExport, noteExport, readAnnounced, withdrawAnnounced } from "./announced-exports.ts";
import { readExport, readSealedWallet, type SealedItem } from "./export-records.ts";
import {
  type AnnouncedExport,
  availableFrom,
  type ExportRequest,
  isAnnounced,
  isConsistent,
  isExportOpen,
  isOfRequest,
  newAnnouncement,
  sealsPerRequest,
} from "./wallet-export.ts";

/** A private key sealed to a key of its user's, in base64url, or when it will be, or why it is not. */
export type SealedExport =
  | { enc: string; ciphertext: string }
  | { availableAt: string }
  | { refused: "EXPORT_NOT_FOUND" | "WALLET_NOT_FOUND" | "EXPORT_LIMIT_REACHED" };

/** Asks to seal a wallet, or to take back what was announced of its export. */
export type SealRequest = WalletName & { withdraw?: boolean };

/** What the log has of an export. KMS's id leads to the use of the key in CloudTrail. */
export type ExportNote = { walletId: string; awsRequestId: string | undefined };

export type SealingDeps = {
  table: Table;
  vault: Vault;
  delaySeconds: number;
  onExport: (note: ExportNote) => void;
};

/** @throws {Error} if the payload names no wallet. */
export function readSealRequest(payload: unknown): SealRequest {
  const { userID, walletId, withdraw } = (payload ?? {}) as Partial<SealRequest>;
  if (typeof userID !== "string" || typeof walletId !== "string") throw new Error("No wallet is named");
  return { userID, walletId, withdraw: withdraw === true };
}

/** Withdraws or seals, as the request says. */
export const answerSealRequest = (
  deps: SealingDeps,
  { withdraw, ...name }: SealRequest,
  now: Date,
): Promise<SealedExport | { isWithdrawn: boolean }> =>
  withdraw ? withdrawExport(deps.table, name, now) : sealExport(deps, name, now);

/**
 * Seals the private key of a wallet to the key that was named when its export was requested. The first time that it sees a
 * request, it announces that to the user and seals nothing: the delay counts from there. It reads all of that itself: whoever
 * asks names a wallet only. What it answers is in the wallet's events before.
 */
export async function sealExport(
  deps: SealingDeps,
  { userID, walletId }: WalletName,
  now: Date,
): Promise<SealedExport> {
  const { table, delaySeconds } = deps;
  return untilWritten(async () => {
    const [request, announced] = await Promise.all([
      readExport(table, userID, walletId),
      readAnnounced(table, userID, walletId),
    ]);
    if (request === undefined || !isExportOpen(request, now) || !isConsistent(request))
      return { refused: "EXPORT_NOT_FOUND" };
    const wallet = await readSealedWallet(table, request);
    if (wallet === undefined || !isOfRequest(request, wallet)) return { refused: "WALLET_NOT_FOUND" };
    if (!isAnnounced(request, announced, now)) {
      const announcement = newAnnouncement(request, { previous: announced, delaySeconds }, now);
      const { availableAt } = announcement;
      const terms = { previous: announced, request, wallet, now };
      return (await announceExport(table, announcement, terms)) ? { availableAt } : undefined;
    }
    const from = availableFrom(announced, delaySeconds);
    // Also for a time that cannot be read.
    if (!(now >= from)) return { availableAt: from.toISOString() };
    if ((announced.times ?? 0) >= sealsPerRequest) return { refused: "EXPORT_LIMIT_REACHED" };
    return sealOnce(deps, announced, { request, wallet, now });
  });
}

/** Undefined if it must not leave after all: it was cancelled, replaced, retired or exported meanwhile. */
async function sealOnce(
  { table, vault, onExport }: SealingDeps,
  announced: AnnouncedExport,
  { request, wallet, now }: { request: ExportRequest; wallet: SealedItem; now: Date },
): Promise<SealedExport | undefined> {
  let awsRequestId: string | undefined;
  const secret = await unseal(vault, wallet.encryptedPrivateKey, bindingOf(request), (id) => {
    awsRequestId = id;
  });
  const sealed = await sealAndWipe(secret, request);
  if (!(await noteExport(table, announced, { request, wallet, now }))) return undefined;
  onExport({ walletId: request.walletId, awsRequestId });
  return sealed;
}

/** Takes back what was announced of a wallet's export: whatever the table says next has to be announced again. */
export async function withdrawExport(
  table: Table,
  { userID, walletId }: WalletName,
  now: Date,
): Promise<{ isWithdrawn: boolean }> {
  return untilWritten(async () => {
    const announced = await readAnnounced(table, userID, walletId);
    if (announced === undefined || !isExportOpen(announced, now)) return { isWithdrawn: false };
    return (await withdrawAnnounced(table, announced, now)) ? { isWithdrawn: true } : undefined;
  });
}

/** The ids of the request: what the wallet's item says of itself may be another wallet's. */
const bindingOf = ({ userID, walletId, network, address }: ExportRequest) => ({
  userID,
  walletId,
  network,
  address,
});

async function sealAndWipe(
  secret: Uint8Array,
  { userID, walletId, network, address, publicKey }: ExportRequest,
): Promise<{ enc: string; ciphertext: string }> {
  // Solana's programs want the 64 bytes, and the second half is the address.
  const whole = network === "sol" ? Buffer.concat([secret, bs58.decode(address)]) : secret;
  try {
    const info = exportInfo({ network, walletId, userID });
    const { enc, ciphertext } = await sealMessage(pointOfJwk(publicKey), whole, info);
    return { enc: base64url(enc), ciphertext: base64url(ciphertext) };
  } finally {
    secret.fill(0);
    whole.fill(0);
  }
}
