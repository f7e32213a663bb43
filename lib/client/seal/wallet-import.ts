import type { RestCalls } from "../methods.ts";
import type { RestAnswer, RestError, RestRequest } from "../rest-types.ts";
import { type Bytes, base64url, bytesIn, hashOf, infoFor, utf8 } from "./bytes.ts";
import { publicKeyAt, sealMessage } from "./hpke.ts";
import { privateKeyBytes } from "./private-key.ts";

type Fields = RestRequest<"importWallet">["body"];

export type SealedImport = Pick<Fields, "network" | "expectedAddress" | "slotName" | "colortag"> & {
  /** Private key to import: hex for EVM networks, base58 for Solana. Unlike text, bytes can be wiped afterwards. */
  privateKey: Uint8Array | string;
  /** The `sub` claim of the token. */
  userID: string;
  /**
   * Ids of the trusted import keys. Ship them with your program: an attacker between it and the service could offer a
   * key of their own. `any` trusts every key.
   */
  trustedKeyIds: readonly string[] | "any";
};

type Calls = Pick<RestCalls, "listImportKeys" | "importWallet">;

/** The imported wallet, or the error of the import. */
export type ImportAnswer =
  | RestAnswer<"importWallet">
  | { data?: undefined; error: RestError<"listImportKeys">; headers?: Headers };

/**
 * Imports a wallet by its private key, which leaves this program only encrypted.
 *
 * @throws {TypeError} if the text is not a private key, or the service offers no trusted key
 */
export async function importSealed(terminal: Calls, wanted: SealedImport): Promise<ImportAnswer> {
  const { privateKey, userID, trustedKeyIds, ...fields } = wanted;
  const { network } = fields;
  const secret =
    typeof privateKey === "string" ? privateKeyBytes(network, privateKey) : Uint8Array.from(privateKey);
  try {
    const { data, error, headers } = await terminal.listImportKeys();
    if (error) return { error, ...(headers && { headers }) };
    const offered = data.keys.find(({ keyId }) => trustedKeyIds === "any" || trustedKeyIds.includes(keyId));
    if (offered === undefined) throw new TypeError("The service offers none of the trusted import keys");
    const requestKey = base64url(crypto.getRandomValues(new Uint8Array(16)));
    const body = { ...fields, ...(await sealedTo(offered, { secret, network, userID, requestKey })) };
    return await terminal.importWallet({ headers: { "Idempotency-Key": requestKey }, body });
  } finally {
    secret.fill(0);
  }
}

type Sealing = { secret: Bytes; network: string; userID: string; requestKey: string };

async function sealedTo(
  { keyId, publicKey }: { keyId: string; publicKey: string },
  { secret, network, userID, requestKey }: Sealing,
): Promise<Pick<Fields, "keyId" | "enc" | "ciphertext">> {
  const to = await publicKeyAt(bytesIn(publicKey));
  // A different key under a trusted id is an attack.
  if ((await hashOf(new Uint8Array(await crypto.subtle.exportKey("spki", to)))) !== keyId)
    throw new TypeError("The import key does not belong to its id");
  const bound = { info: await infoFor("wallet-import", network, keyId, userID), aad: utf8(requestKey) };
  const { enc, ciphertext } = await sealMessage(to, secret, bound);
  return { keyId, enc: base64url(enc), ciphertext: base64url(ciphertext) };
}
