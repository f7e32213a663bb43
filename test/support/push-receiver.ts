import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from "node:crypto";

const hkdf = (salt: Uint8Array, key: Uint8Array, info: Uint8Array, length: number) =>
  Buffer.from(hkdfSync("sha256", key, salt, info, length));

const infoOf = (name: string) => Buffer.from(`${name}\0`);

/**
 * A browser's part of Web Push, written only from the standards: RFC 8291 and 8188 for content, RFC 8292 for the
 * sender.
 */
export function pushReceiver() {
  const pair = createECDH("prime256v1");
  const own = pair.generateKeys();
  const auth = randomBytes(16);
  return {
    keys: { p256dh: own.toString("base64url"), auth: auth.toString("base64url") },

    /** Decrypts the body of a push, which has a single record. */
    decrypt(body: Buffer): string {
      const salt = body.subarray(0, 16);
      const idLength = body.readUInt8(20);
      const sender = body.subarray(21, 21 + idLength);
      const info = Buffer.concat([infoOf("WebPush: info"), own, sender]);
      const key = hkdf(auth, pair.computeSecret(sender), info, 32);
      const contentKey = hkdf(salt, key, infoOf("Content-Encoding: aes128gcm"), 16);
      const nonce = hkdf(salt, key, infoOf("Content-Encoding: nonce"), 12);
      const record = body.subarray(21 + idLength);
      const decipher = createDecipheriv("aes-128-gcm", contentKey, nonce).setAuthTag(record.subarray(-16));
      const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
      const end = padded.lastIndexOf(2);
      if (padded.subarray(end + 1).some((byte) => byte !== 0)) throw new Error("The padding is malformed");
      return padded.subarray(0, end).toString();
    },
  };
}

/** Verifies the JWT by which a sender proves itself to a push service, and returns its claims. */
export function vapidClaims(authorization: string, publicKey: string): Record<string, unknown> {
  const [, token = "", key] = /^vapid t=(\S+), k=(\S+)$/.exec(authorization) ?? [];
  if (key !== publicKey) throw new Error("The key is another one");
  const point = Buffer.from(publicKey, "base64url");
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString("base64url"));
  const verifier = createPublicKey({
    format: "jwk",
    key: { kty: "EC", crv: "P-256", x: x ?? "", y: y ?? "" },
  });
  const [head = "", claims = "", signature = ""] = token.split(".");
  const isValid = verify(
    "sha256",
    Buffer.from(`${head}.${claims}`),
    { key: verifier, dsaEncoding: "ieee-p1363" },
    Buffer.from(signature, "base64url"),
  );
  if (!isValid) throw new Error("The signature is wrong");
  return JSON.parse(Buffer.from(claims, "base64url").toString());
}
