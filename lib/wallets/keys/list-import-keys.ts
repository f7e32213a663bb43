import type { ImportKeys } from "./import-keys.ts";
import { base64url, suiteNames } from "./sealing.ts";

/** What clients need of each key to seal a private key to it, the newest first. */
export async function listImportKeys(importKeys: ImportKeys) {
  const keys = await importKeys();
  return keys.map(({ keyId, point }) => ({
    keyId,
    ...suiteNames,
    publicKey: base64url(point),
  }));
}
