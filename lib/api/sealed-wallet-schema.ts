import * as v from "valibot";
import { networks } from "../core/network.ts";
import { pointBytes, suiteNames } from "../wallets/keys/sealing.ts";
import { idempotencyHeaders } from "./idempotency-schema.ts";
import { base64urlOf, envelopeOf, ThumbprintSchema, TimestampSchema } from "./scalars.ts";
import { walletLabels } from "./wallet-schema.ts";

const ImportKeySchema = v.pipe(
  v.object({
    keyId: v.pipe(v.string(), v.description("SHA-256 of the key's SubjectPublicKeyInfo, in base64url")),
    kem: v.literal(suiteNames.kem),
    kdf: v.literal(suiteNames.kdf),
    aead: v.literal(suiteNames.aead),
    publicKey: v.pipe(v.string(), v.description("Uncompressed point of the key: 65 bytes, in base64url")),
  }),
  v.title("ImportKey"),
);

/** The import keys, newest first. */
export const ImportKeysAnswerSchema = envelopeOf(v.object({ keys: v.array(ImportKeySchema) }));

const tagBytes = 16;
const keyIdBytes = 32;

export const ImportSealedWalletHeadersSchema = idempotencyHeaders(
  "A key imports only one wallet per user, ever. It is also the additional data of the sealed private key.",
);

const addressRule = "must be an address: 0x and 40 hex digits, or base58";

export const ImportSealedWalletSchema = v.pipe(
  v.strictObject({
    network: v.picklist(networks),
    keyId: base64urlOf([keyIdBytes], "Id of the import key that the private key is sealed to"),
    enc: base64urlOf([pointBytes], "HPKE's encapsulated key: an uncompressed point"),
    ciphertext: base64urlOf(
      [32, 64].map((length) => length + tagBytes),
      "Sealed private key: 32 bytes for EVM networks, 64 for Solana or 32 of its seed",
    ),
    expectedAddress: v.optional(
      v.pipe(
        v.string(addressRule),
        v.regex(/^(?:0[xX][\da-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$/, addressRule),
        v.description("Address that the private key must have"),
      ),
    ),
    ...walletLabels,
  }),
  v.title("ImportSealedWallet"),
);

const coordinate = base64urlOf([32], "A coordinate, 32 bytes in base64url");

/** A JWK as browsers export it. Members that restrict the use of the key have no effect. */
const PublicKeySchema = v.strictObject({
  // Checks `d` first, so that a request that contains a private key gets this error.
  d: v.optional(v.never("is the private part of a key, which must not be sent")),
  kty: v.literal("EC"),
  crv: v.literal("P-256"),
  x: coordinate,
  y: coordinate,
  alg: v.optional(v.string()),
  ext: v.optional(v.boolean()),
  key_ops: v.optional(v.array(v.string())),
  kid: v.optional(v.string()),
  use: v.optional(v.string()),
});

export const ExportWalletSchema = v.pipe(
  v.strictObject({ publicKey: PublicKeySchema }),
  v.title("ExportWallet"),
  v.description("Public key, as a JWK, to seal the private key to. Send the same one again after the delay."),
);

export const WalletExportAnswerSchema = envelopeOf(
  v.object({
    export: v.variant("status", [
      v.object({
        status: v.literal("pending"),
        availableAt: TimestampSchema,
        thumbprint: ThumbprintSchema,
      }),
      v.object({
        status: v.literal("ready"),
        thumbprint: ThumbprintSchema,
        enc: v.pipe(v.string(), v.description("HPKE's encapsulated key: 65 bytes in base64url")),
        ciphertext: v.pipe(v.string(), v.description("The sealed private key in base64url")),
      }),
    ]),
  }),
);

export const LockExportsSchema = v.pipe(v.strictObject({}), v.title("LockExports"));

export const ExportLockSchema = v.pipe(
  v.object({
    status: v.picklist(["locked", "unlocking", "unlocked"]),
    lockedAt: v.pipe(
      v.exactOptional(TimestampSchema),
      v.description("Time of the last lock. Absent if exports are unlocked."),
    ),
    unlocksAt: v.pipe(
      v.exactOptional(TimestampSchema),
      v.description("Time when exports will be unlocked. Present while `status` is `unlocking`."),
    ),
  }),
  v.title("ExportLock"),
);

export const ExportLockAnswerSchema = envelopeOf(v.object({ lock: ExportLockSchema }));

export const ExportCancelledAnswerSchema = envelopeOf(
  v.object({ export: v.object({ status: v.literal("cancelled") }) }),
);
