import type { ImportKeys } from "./import-keys.ts";
import { base64url, suiteNames } from "./sealing.ts";

/** Lists the data that clients need to seal a private key to each import key. The newest key comes first. */
export async function listImportKeys(importKeys: ImportKeys) {
  const keys = await importKeys();
  return keys.map(({ keyId, point }) => ({
    keyId,
    ...suiteNames,
    publicKey: base64url(point),
  }));
}
