import { randomBytes } from "node:crypto";
import * as v from "valibot";
import { account } from "../account.ts";
import { type EncryptionContext, open, readOrigin, seal } from "./ciphertext.ts";
import type { ConditionValues, Policy } from "./key-policy.ts";
import { currentMaterial, type KeyRing, keyArn, type MasterKey } from "./key-ring.ts";
import { KmsError } from "./kms-error.ts";

const DATA_KEY_BYTES = { AES_256: 32, AES_128: 16 } as const;
const ALGORITHM = "SYMMETRIC_DEFAULT";

type Operations = { [Name in RequestName]: (request: RequestOf<Name>) => object };

/**
 * The answers are JSON of the protocol: bytes as base64, times in epoch seconds.
 *
 * @param policyOf the policy of a key, if it has one.
 */
export function createOperations(
  ring: KeyRing,
  policyOf: (key: MasterKey) => Policy | undefined,
): Operations {
  /** @throws KmsError AccessDeniedException if the key's policy does not allow the call */
  function find(action: string, keyId: string, values: ConditionValues = {}): MasterKey {
    const key = ring.find(keyId);
    if (policyOf(key)?.(`kms:${action}`, values) ?? true) return key;
    throw new KmsError(
      "AccessDeniedException",
      `User is not authorized to perform: kms:${action} on resource: ${keyArn(key)}`,
    );
  }

  return {
    GenerateDataKey({ KeyId, EncryptionContext, KeySpec, NumberOfBytes }) {
      const length = KeySpec === undefined ? NumberOfBytes : DATA_KEY_BYTES[KeySpec];
      if (length === undefined || (KeySpec !== undefined && NumberOfBytes !== undefined)) {
        throw new KmsError("ValidationException", "Please specify either number of bytes or key spec.");
      }
      const plaintext = randomBytes(length);
      const key = find("GenerateDataKey", KeyId, valuesOf(EncryptionContext));
      const { arn, materialId, ciphertext } = encrypt(key, EncryptionContext, plaintext);
      return {
        CiphertextBlob: ciphertext.toString("base64"),
        Plaintext: plaintext.toString("base64"),
        KeyId: arn,
        KeyMaterialId: materialId,
      };
    },

    Decrypt({ CiphertextBlob, EncryptionContext, KeyId }) {
      const { arn, materialId, plaintext } = decrypt(ring, KeyId, EncryptionContext, CiphertextBlob, (from) =>
        find("Decrypt", from, valuesOf(EncryptionContext)),
      );
      return {
        KeyId: arn,
        Plaintext: plaintext.toString("base64"),
        EncryptionAlgorithm: ALGORITHM,
        KeyMaterialId: materialId,
      };
    },

    ReEncrypt(request) {
      const key = ring.find(request.DestinationKeyId);
      const valuesFor = (from: string, context: EncryptionContext) => ({
        ...valuesOf(context),
        "kms:ReEncryptOnSameKey": [String(from === keyArn(key))],
      });
      const source = decrypt(
        ring,
        request.SourceKeyId,
        request.SourceEncryptionContext,
        request.CiphertextBlob,
        (from) => find("ReEncryptFrom", from, valuesFor(from, request.SourceEncryptionContext)),
      );
      const destination = encrypt(
        find("ReEncryptTo", key.keyId, valuesFor(source.arn, request.DestinationEncryptionContext)),
        request.DestinationEncryptionContext,
        source.plaintext,
      );
      return {
        CiphertextBlob: destination.ciphertext.toString("base64"),
        SourceKeyId: source.arn,
        KeyId: destination.arn,
        SourceEncryptionAlgorithm: ALGORITHM,
        DestinationEncryptionAlgorithm: ALGORITHM,
        SourceKeyMaterialId: source.materialId,
        DestinationKeyMaterialId: destination.materialId,
      };
    },

    DescribeKey({ KeyId }) {
      const key = find("DescribeKey", KeyId);
      return {
        KeyMetadata: {
          AWSAccountId: account.id,
          KeyId: key.keyId,
          Arn: keyArn(key),
          CreationDate: key.createdAt / 1000,
          Enabled: true,
          Description: "",
          KeyUsage: "ENCRYPT_DECRYPT",
          KeyState: "Enabled",
          Origin: "AWS_KMS",
          KeyManager: "CUSTOMER",
          CustomerMasterKeySpec: ALGORITHM,
          KeySpec: ALGORITHM,
          EncryptionAlgorithms: [ALGORITHM],
          MultiRegion: false,
          CurrentKeyMaterialId: currentMaterial(key).id,
        },
      };
    },

    RotateKeyOnDemand({ KeyId }) {
      return { KeyId: keyArn(ring.rotate(find("RotateKeyOnDemand", KeyId).keyId)) };
    },

    ListKeyRotations({ KeyId, IncludeKeyMaterial, Limit, Marker }) {
      const rotations = listMaterials(
        find("ListKeyRotations", KeyId),
        IncludeKeyMaterial === "ALL_KEY_MATERIAL",
      );
      const end = Marker + Limit;
      const truncated = end < rotations.length;
      return {
        Rotations: rotations.slice(Marker, end),
        Truncated: truncated,
        ...(truncated && { NextMarker: String(end) }),
      };
    },
  };
}

/** What a policy's conditions can see of an encryption context. */
function valuesOf(context: EncryptionContext): ConditionValues {
  const values = Object.entries(context).map(([name, value]) => [`kms:EncryptionContext:${name}`, [value]]);
  return { ...Object.fromEntries(values), "kms:EncryptionContextKeys": Object.keys(context) };
}

function encrypt(key: MasterKey, context: EncryptionContext, plaintext: Buffer) {
  const { id: materialId, secret } = currentMaterial(key);
  const arn = keyArn(key);
  return { arn, materialId, ciphertext: seal({ keyArn: arn, materialId }, secret, context, plaintext) };
}

/** @param permit throws if the key of that ARN may not be used */
function decrypt(
  ring: KeyRing,
  keyId: string | undefined,
  context: EncryptionContext,
  ciphertext: Buffer,
  permit: (keyArn: string) => void,
) {
  const origin = readOrigin(ciphertext);
  if (keyId !== undefined && keyArn(ring.find(keyId)) !== origin.keyArn) {
    throw new KmsError(
      "IncorrectKeyException",
      "The key ID in the request does not identify a CMK that can perform this operation.",
    );
  }
  const material = ring.findMaterial(origin);
  if (material === undefined) throw new KmsError("InvalidCiphertextException");
  permit(origin.keyArn);
  return {
    arn: origin.keyArn,
    materialId: material.id,
    plaintext: open(material.secret, context, ciphertext),
  };
}

/** Newest first. */
function listMaterials(key: MasterKey, includeFirst: boolean): object[] {
  const current = currentMaterial(key);
  return key.materials
    .filter(({ rotatedAt }) => includeFirst || rotatedAt !== undefined)
    .map((material) => ({
      KeyId: keyArn(key),
      KeyMaterialId: material.id,
      KeyMaterialState: material === current ? "CURRENT" : "NON_CURRENT",
      ...(material.rotatedAt !== undefined && {
        RotationDate: material.rotatedAt / 1000,
        RotationType: "ON_DEMAND",
      }),
    }))
    .reverse();
}

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

/** Strict, so that a parameter that is not emulated (DryRun, Recipient) is refused, not ignored. */
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

/** @throws KmsError ValidationException that names the field but not its value */
export function parseRequest<Name extends RequestName>(name: Name, body: unknown): RequestOf<Name> {
  const parsed = v.safeParse(requests[name], body);
  if (parsed.success) return parsed.output as RequestOf<Name>;
  const [issue] = parsed.issues;
  throw new KmsError(
    "ValidationException",
    `1 validation error detected: Value at '${v.getDotPath(issue) ?? "$"}' failed to satisfy constraint: ${issue.expected ?? issue.message}`,
  );
}
