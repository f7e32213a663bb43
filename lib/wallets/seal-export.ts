import bs58 from "bs58";
import { noteExport, readExport, readSealedWallet } from "../aws/export-records.ts";
import type { Table } from "../aws/table.ts";
import { unseal, type Vault } from "../aws/vault.ts";
import { sealMessage } from "../domain/hpke.ts";
import { exportInfo, pointOfJwk } from "../domain/sealing.ts";
import { type ExportRequest, isOfRequest, isReady } from "../domain/wallet-export.ts";

/** A private key sealed to a key of its user's, in base64url, or why it is not. */
export type SealedExport =
  | { enc: string; ciphertext: string }
  | { refused: "EXPORT_NOT_FOUND" | "WALLET_NOT_FOUND" | "EXPORT_LIMIT_REACHED" };

/** What the log has of an export. KMS's id leads to the use of the key in CloudTrail. */
export type ExportNote = { walletID: string; awsRequestId: string | undefined };

export type SealingDeps = {
  table: Table;
  vault: Vault;
  delaySeconds: number;
  onExport: (note: ExportNote) => void;
};

type WalletName = { userID: string; walletId: string };

/** @throws {Error} if the payload names no wallet. */
export function readSealRequest(payload: unknown): WalletName {
  const { userID, walletId } = (payload ?? {}) as Partial<WalletName>;
  if (typeof userID !== "string" || typeof walletId !== "string") throw new Error("No wallet is named");
  return { userID, walletId };
}

/**
 * Seals the private key of a wallet to the key that was named when its export was requested, long enough ago. It reads all of
 * that itself: whoever asks names a wallet only. What it answers is in the wallet's events before.
 */
export async function sealExport(
  { table, vault, delaySeconds, onExport }: SealingDeps,
  { userID, walletId }: WalletName,
  now: Date,
): Promise<SealedExport> {
  const request = await readExport(table, userID, walletId);
  if (request === undefined || !isReady(request, delaySeconds, now)) return { refused: "EXPORT_NOT_FOUND" };
  const wallet = await readSealedWallet(table, request);
  if (wallet === undefined || !isOfRequest(request, wallet)) return { refused: "WALLET_NOT_FOUND" };
  let awsRequestId: string | undefined;
  const secret = await unseal(vault, wallet.encryptedPrivateKey, bindingOf(request), (id) => {
    awsRequestId = id;
  });
  const sealed = await sealAndWipe(secret, request);
  if (await noteExport(table, request, { wallet, now })) {
    onExport({ walletID: walletId, awsRequestId });
    return sealed;
  }
  // Cancelled or retired in this moment, or exported too often.
  const current = await readExport(table, userID, walletId);
  return { refused: current?.version === request.version ? "EXPORT_LIMIT_REACHED" : "EXPORT_NOT_FOUND" };
}

/** The ids of the request: what the wallet's item says of itself may be another wallet's. */
const bindingOf = ({ userID, walletId: walletID, network, address }: ExportRequest) => ({
  userID,
  walletID,
  network,
  address,
});

async function sealAndWipe(
  secret: Uint8Array,
  { userID, walletId: walletID, network, address, publicKey }: ExportRequest,
): Promise<{ enc: string; ciphertext: string }> {
  // Solana's programs want the 64 bytes, and the second half is the address.
  const whole = network === "sol" ? Buffer.concat([secret, bs58.decode(address)]) : secret;
  try {
    const info = exportInfo({ network, walletID, userID });
    const { enc, ciphertext } = await sealMessage(pointOfJwk(publicKey), whole, info);
    return { enc: base64url(enc), ciphertext: base64url(ciphertext) };
  } finally {
    secret.fill(0);
    whole.fill(0);
  }
}

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");
