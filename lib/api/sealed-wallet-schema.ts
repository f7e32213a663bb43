import * as v from "valibot";
import { suiteNames } from "../domain/sealing.ts";
import { envelopeOf } from "./scalars.ts";

const ImportKeySchema = v.pipe(
  v.object({
    keyId: v.pipe(v.string(), v.description("The SHA-256 of the key's SubjectPublicKeyInfo, in base64url")),
    kem: v.literal(suiteNames.kem),
    kdf: v.literal(suiteNames.kdf),
    aead: v.literal(suiteNames.aead),
    publicKey: v.pipe(v.string(), v.description("The uncompressed point, 65 bytes, in base64url")),
  }),
  v.title("ImportKey"),
);

/** The newest first. */
export const ImportKeysAnswerSchema = envelopeOf(v.object({ keys: v.array(ImportKeySchema) }));
