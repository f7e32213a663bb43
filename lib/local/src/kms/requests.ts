import * as v from "valibot";
import { KmsError } from "./kms-error.ts";

const keyId = v.pipe(v.string(), v.minLength(1), v.maxLength(2048));
const context = v.optional(v.record(v.string(), v.string()), {});
const algorithm = v.optional(v.literal("SYMMETRIC_DEFAULT"), "SYMMETRIC_DEFAULT");
const grantTokens = v.optional(v.array(v.string()));
const bytes = (most: number) =>
  v.pipe(
    v.string(),
    v.base64(),
    v.transform((text) => Buffer.from(text, "base64")),
    v.check(({ length }) => length >= 1 && length <= most, `must be 1 to ${most} bytes`),
  );
const ciphertext = bytes(6144);
const mac = {
  KeyId: keyId,
  Message: bytes(4096),
  MacAlgorithm: v.picklist(["HMAC_SHA_224", "HMAC_SHA_256", "HMAC_SHA_384", "HMAC_SHA_512"]),
  GrantTokens: grantTokens,
};

/** Schemas are strict, so that parameters that are not emulated (DryRun, Recipient) are rejected, not ignored. */
export const requests = {
  GenerateDataKey: v.strictObject({
    KeyId: keyId,
    EncryptionContext: context,
    KeySpec: v.optional(v.picklist(["AES_256", "AES_128"])),
    NumberOfBytes: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1024))),
    GrantTokens: grantTokens,
  }),
  Decrypt: v.strictObject({
    CiphertextBlob: ciphertext,
    EncryptionContext: context,
    KeyId: v.optional(keyId),
    EncryptionAlgorithm: algorithm,
    GrantTokens: grantTokens,
  }),
  ReEncrypt: v.strictObject({
    CiphertextBlob: ciphertext,
    SourceEncryptionContext: context,
    SourceKeyId: v.optional(keyId),
    SourceEncryptionAlgorithm: algorithm,
    DestinationKeyId: keyId,
    DestinationEncryptionContext: context,
    DestinationEncryptionAlgorithm: algorithm,
    GrantTokens: grantTokens,
  }),
  GenerateMac: v.strictObject(mac),
  VerifyMac: v.strictObject({ ...mac, Mac: bytes(6144) }),
  GetPublicKey: v.strictObject({ KeyId: keyId, GrantTokens: grantTokens }),
  DeriveSharedSecret: v.strictObject({
    KeyId: keyId,
    KeyAgreementAlgorithm: v.literal("ECDH"),
    PublicKey: bytes(8192),
    GrantTokens: grantTokens,
  }),
  EnableKey: v.strictObject({ KeyId: keyId }),
  DisableKey: v.strictObject({ KeyId: keyId }),
  DescribeKey: v.strictObject({ KeyId: keyId, GrantTokens: grantTokens }),
  RotateKeyOnDemand: v.strictObject({ KeyId: keyId }),
  ListKeyRotations: v.strictObject({
    KeyId: keyId,
    IncludeKeyMaterial: v.optional(v.picklist(["ALL_KEY_MATERIAL", "ROTATIONS_ONLY"]), "ROTATIONS_ONLY"),
    Limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1000)), 100),
    Marker: v.optional(v.pipe(v.string(), v.regex(/^\d+$/), v.transform(Number)), "0"),
  }),
} as const;

export type RequestName = keyof typeof requests;
export type RequestOf<Name extends RequestName> = v.InferOutput<(typeof requests)[Name]>;

/** @throws {KmsError} ValidationException if a field is invalid; the message names it, but not its value */
export function parseRequest<Name extends RequestName>(name: Name, body: unknown): RequestOf<Name> {
  const parsed = v.safeParse(requests[name], body);
  if (parsed.success) return parsed.output as RequestOf<Name>;
  const [issue] = parsed.issues;
  throw new KmsError(
    "ValidationException",
    `1 validation error detected: Value at '${v.getDotPath(issue) ?? "$"}' failed to satisfy constraint: ${issue.expected ?? issue.message}`,
  );
}
