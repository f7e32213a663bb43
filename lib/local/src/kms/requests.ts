import * as v from "valibot";
import { KmsError } from "./kms-error.ts";

const keyId = v.pipe(v.string(), v.minLength(1), v.maxLength(2048));
const context = v.optional(v.record(v.string(), v.string()), {});
const algorithm = v.optional(v.literal("SYMMETRIC_DEFAULT"), "SYMMETRIC_DEFAULT");
const grantTokens = v.optional(v.array(v.string()));
const ciphertext = v.pipe(
  v.string(),
  v.base64(),
  v.transform((text) => Buffer.from(text, "base64")),
  v.check((bytes) => bytes.length >= 1 && bytes.length <= 6144, "must be 1 to 6144 bytes"),
);

/** Strict, so that a parameter that is not emulated (DryRun, Recipient) is refused instead of passed over. */
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

/** @throws KmsError ValidationException that names the field, never its value */
export function parseRequest<Name extends RequestName>(name: Name, body: unknown): RequestOf<Name> {
  const parsed = v.safeParse(requests[name], body);
  if (parsed.success) return parsed.output as RequestOf<Name>;
  const [issue] = parsed.issues;
  throw new KmsError(
    "ValidationException",
    `1 validation error detected: Value at '${v.getDotPath(issue) ?? "$"}' failed to satisfy constraint: ${issue.expected ?? issue.message}`,
  );
}
