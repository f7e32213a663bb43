import bs58 from "bs58";
import { AEAD_AES_256_GCM, CipherSuite, KDF_HKDF_SHA256, KEM_DHKEM_P256_HKDF_SHA256 } from "hpke";
import type { Terminal } from "trading-terminal-client";
import type { NetworkName } from "./controls.tsx";

const suite = new CipherSuite(KEM_DHKEM_P256_HKDF_SHA256, KDF_HKDF_SHA256, AEAD_AES_256_GCM);

const utf8 = (text: string) => new TextEncoder().encode(text);
const toText = (bytes: Uint8Array) => bytes.toBase64({ alphabet: "base64url", omitPadding: true });
const sha256 = async (bytes: BufferSource) =>
  toText(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));

/**
 * Parses a private key.
 *
 * @throws Error if the text is not a private key
 */
function bytesOf(network: NetworkName, privateKey: string): Uint8Array {
  if (network === "sol") return bs58.decode(privateKey);
  const hex = privateKey.replace(/^0x/, "");
  if (!/^[\da-f]{64}$/i.test(hex)) throw new Error("A private key of an EVM network has 64 hex digits");
  return Uint8Array.fromHex(hex);
}

type SealedImport = { network: NetworkName; privateKey: string; userID: string };

/** Imports a wallet by its private key, which leaves this page only encrypted. */
export async function importSealed(terminal: Terminal, { network, privateKey, userID }: SealedImport) {
  const secret = bytesOf(network, privateKey.trim());
  const answer = await terminal.listImportKeys();
  if (answer.error) return answer;
  // This page comes from the service itself. Other clients should pin the ids of keys.
  const [key] = answer.data.keys;
  if (key === undefined) throw new Error("The service offers no import key");
  const { keyId, publicKey } = key;
  const to = await suite.DeserializePublicKey(Uint8Array.fromBase64(publicKey, { alphabet: "base64url" }));
  const requestKey = crypto.randomUUID();
  const info = ["trading-terminal/wallet-import/1", network, keyId, await sha256(utf8(userID))].join("\0");
  const sealed = await suite.Seal(to, secret, { info: utf8(info), aad: utf8(requestKey) });
  secret.fill(0);
  return terminal.importWallet({
    headers: { "Idempotency-Key": requestKey },
    body: { network, keyId, enc: toText(sealed.encapsulatedSecret), ciphertext: toText(sealed.ciphertext) },
  });
}
