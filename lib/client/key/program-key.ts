import { base64url, bytesIn, hashOf, utf8 } from "../seal/bytes.ts";

/** Browsers and Node have no common name for the type of a key. */
type Key = Parameters<typeof crypto.subtle.exportKey>[1];
type KeyPair = { publicKey: Key; privateKey: Key };

/** A program key: the user to whom it belongs, its id, and the private half. */
export type ProgramKey = {
  userID: string;
  keyId: string;
  /** PKCS#8 of an Ed25519 key, as PEM or base64, or a key of WebCrypto that may sign. */
  privateKey: string | Key;
};

/** A request or a connection that a token is for. */
type Signed = { method: string; path: string; body?: string | undefined };

/**
 * Makes a pair of keys. Send `publicKey` with `createKey`; keep `privateKey`, a PEM, where only the program reads it.
 *
 * @example
 * const { publicKey, privateKey } = await makeProgramKey();
 */
export async function makeProgramKey(): Promise<{ publicKey: string; privateKey: string }> {
  const pair = (await subtle().generateKey("Ed25519", true, ["sign", "verify"])) as KeyPair;
  const [raw, pkcs8] = await Promise.all([
    subtle().exportKey("raw", pair.publicKey),
    subtle().exportKey("pkcs8", pair.privateKey),
  ]);
  const pem = btoa(String.fromCharCode(...new Uint8Array(pkcs8)));
  return {
    publicKey: base64url(new Uint8Array(raw)),
    privateKey: `-----BEGIN PRIVATE KEY-----\n${pem}\n-----END PRIVATE KEY-----\n`,
  };
}

/** A token lasts a minute, half of it in the past, so that clocks may differ by half a minute either way. */
const [pastSeconds, lastsSeconds] = [28, 60];

/** Makes a function that signs a token for each request. */
export function tokenSigner({ userID, keyId, privateKey }: ProgramKey) {
  let key: Promise<Key> | undefined;
  return async ({ method, path, body }: Signed, nowMs: number, jti = newId()): Promise<string> => {
    key ??= readKey(privateKey);
    const iat = Math.floor(nowMs / 1000) - pastSeconds;
    const claims = {
      sub: userID,
      iat,
      exp: iat + lastsSeconds,
      jti,
      htm: method,
      htu: path,
      ...(body !== undefined && { bh: await hashOf(utf8(body)) }),
    };
    const text = [{ alg: "EdDSA", typ: "JWT", kid: keyId }, claims]
      .map((part) => base64url(utf8(JSON.stringify(part))))
      .join(".");
    const signature = await subtle().sign("Ed25519", await key, utf8(text));
    return `${text}.${base64url(new Uint8Array(signature))}`;
  };
}

/** @throws {TypeError} if the text is not such a key */
async function readKey(privateKey: string | Key): Promise<Key> {
  if (typeof privateKey !== "string") return privateKey;
  try {
    const bytes = bytesIn(privateKey.replace(/-----[A-Z ]+-----|\s/g, ""));
    return await subtle().importKey("pkcs8", bytes, "Ed25519", false, ["sign"]);
  } catch (cause) {
    throw new TypeError("The private key is not PKCS#8 of an Ed25519 key, as PEM or base64", { cause });
  }
}

/** @throws {TypeError} in pages without HTTPS */
function subtle(): typeof crypto.subtle {
  const { subtle } = crypto as { subtle?: typeof crypto.subtle };
  if (subtle === undefined) throw new TypeError("crypto.subtle is missing: use HTTPS or localhost");
  return subtle;
}

const newId = () => base64url(crypto.getRandomValues(new Uint8Array(16)));
