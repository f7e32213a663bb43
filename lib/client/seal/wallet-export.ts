import type { RestCalls } from "../methods.ts";
import type { ServerMessage } from "../openapi.ts";
import type { RestError } from "../rest-types.ts";
import type { Network } from "../stream-types.ts";
import { bytesIn, hashOf, infoFor, utf8 } from "./bytes.ts";
import { type KeyPair, newKeyPair, openMessage } from "./hpke.ts";

/** Wallet to export. `userID` is the `sub` of the token. */
export type ExportedWallet = { walletId: string; network: Network; userID: string };

export type ExportState =
  | { status: "pending"; availableAt: string }
  /** 32 bytes for EVM networks, the 64 of a secret key for Solana. The caller wipes them. */
  | { status: "ready"; privateKey: Uint8Array }
  /** The service would export the wallet to another key: cancel the export, and lock exports. */
  | { status: "foreign"; thumbprint: string };

export type ExportAnswer =
  | { data: ExportState; error?: undefined }
  | { data?: undefined; error: RestError<"exportWallet"> };

export type WalletExporter = {
  /** Thumbprint of the key (RFC 7638). Announcements and events must show the same thumbprint. */
  readonly thumbprint: string;
  /**
   * Requests the export, or gets the private key once the delay is over. For this, call the function again with the
   * same key pair.
   */
  ask(): Promise<ExportAnswer>;
  /**
   * Compares the key of an announcement on the stream with this one. Returns undefined for other messages and other
   * wallets. Announcements do not pass through the function that accepts requests, so they reveal whether that function
   * has replaced the key.
   */
  keyOf(message: ServerMessage): "own" | "foreign" | undefined;
};

/**
 * Makes a key pair to which a wallet is exported. Keep it until the export is ready, after a day or more. Scripts
 * cannot read the private half, but IndexedDB can store the pair.
 */
export const newExportKeys = (): Promise<KeyPair> => newKeyPair();

/** Prepares the export of a wallet to a key pair, without sending anything yet. */
export async function walletExporter(
  terminal: Pick<RestCalls, "exportWallet">,
  keys: KeyPair,
  { walletId, network, userID }: ExportedWallet,
): Promise<WalletExporter> {
  const { x = "", y = "" } = await crypto.subtle.exportKey("jwk", keys.publicKey);
  const publicKey = { kty: "EC", crv: "P-256", x, y } as const;
  const thumbprint = await hashOf(utf8(JSON.stringify({ crv: "P-256", kty: "EC", x, y })));
  const info = await infoFor("wallet-export", network, walletId, userID);
  return {
    thumbprint,
    async ask() {
      const { data, error } = await terminal.exportWallet({ path: { walletId }, body: { publicKey } });
      if (error !== undefined) return { error };
      const found = data.export;
      if (found.thumbprint !== thumbprint)
        return { data: { status: "foreign", thumbprint: found.thumbprint } };
      if (found.status === "pending") return { data: { status: "pending", availableAt: found.availableAt } };
      const sealed = { enc: bytesIn(found.enc), ciphertext: bytesIn(found.ciphertext) };
      return { data: { status: "ready", privateKey: await openMessage(keys, sealed, { info }) } };
    },
    keyOf(message) {
      if (message.type !== "WalletExportRequested" || message.data.walletId !== walletId) return undefined;
      return message.data.thumbprint === thumbprint ? "own" : "foreign";
    },
  };
}
