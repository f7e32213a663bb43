import { createHmac, timingSafeEqual } from "node:crypto";
import { currentMaterial, type MasterKey } from "./key-ring.ts";

/** The only algorithm of keys with the spec HMAC_256. */
export const MAC_ALGORITHM = "HMAC_SHA_256";

export function computeMac(key: MasterKey, message: Uint8Array): Buffer {
  const secret = Buffer.from(currentMaterial(key).secret, "base64");
  return createHmac("sha256", secret).update(message).digest();
}

export function verifyMac(key: MasterKey, message: Uint8Array, mac: Uint8Array): boolean {
  const expected = computeMac(key, message);
  return mac.length === expected.length && timingSafeEqual(mac, expected);
}
