import { createHash } from "node:crypto";
// Uses a different implementation than the service, which uses @hpke/core.
import { AEAD_AES_256_GCM, CipherSuite, KDF_HKDF_SHA256, KEM_DHKEM_P256_HKDF_SHA256 } from "hpke";
import type { Key } from "./keys.ts";

const suite = new CipherSuite(KEM_DHKEM_P256_HKDF_SHA256, KDF_HKDF_SHA256, AEAD_AES_256_GCM);

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");

/** Repeats the HPKE info that docs/wallets.md defines. */
const infoOf = (use: "wallet-import" | "wallet-export", network: string, id: string, userID: string) =>
  Buffer.from(
    [`trading-terminal/${use}/1`, network, id, createHash("sha256").update(userID).digest("base64url")].join(
      "\0",
    ),
  );

/** Body of a sealed import. */
export type SealedFields = { network: string; keyId: string; enc: string; ciphertext: string };

/**
 * Seals a private key like a client.
 *
 * @param key Idempotency-Key of the request.
 */
export async function sealedImport(
  offered: { keyId: string; publicKey: string },
  { userID, key, network }: { userID: string; key: string; network: string },
  privateKey: Uint8Array,
): Promise<SealedFields> {
  const publicKey = await suite.DeserializePublicKey(Buffer.from(offered.publicKey, "base64url"));
  const { encapsulatedSecret, ciphertext } = await suite.Seal(publicKey, Uint8Array.from(privateKey), {
    info: infoOf("wallet-import", network, offered.keyId, userID),
    aad: Buffer.from(key),
  });
  const { keyId } = offered;
  return { network, keyId, enc: base64url(encapsulatedSecret), ciphertext: base64url(ciphertext) };
}

/** Returns the bytes of a key that clients seal. */
export const sealedBytes = ({ network, secret, address }: Key, decode: (base58: string) => Uint8Array) =>
  network === "sol" ? Buffer.concat([secret, decode(address)]) : secret;

/** Creates the key pair of a user who exports wallets. */
export async function exportKeyPair() {
  const { publicKey, privateKey } = await suite.GenerateKeyPair(true);
  const point = Buffer.from(await suite.SerializePublicKey(publicKey));
  const [x = "", y = ""] = [point.subarray(1, 33), point.subarray(33)].map(base64url);
  const jwk = { kty: "EC", crv: "P-256", x, y } as const;
  const open = async (
    sealed: { enc: string; ciphertext: string },
    { network, walletId, userID }: { network: string; walletId: string; userID: string },
  ) => {
    const [enc, ciphertext] = [sealed.enc, sealed.ciphertext].map((text) =>
      Uint8Array.from(Buffer.from(text, "base64url")),
    );
    const info = infoOf("wallet-export", network, walletId, userID);
    return Buffer.from(
      await suite.Open(privateKey, enc ?? new Uint8Array(), ciphertext ?? new Uint8Array(), { info }),
    );
  };
  return { jwk, open };
}
