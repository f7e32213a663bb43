import { randomBytes } from "node:crypto";
import { account } from "../account.ts";
import { type Caller, denialOf } from "../iam/caller.ts";
import type { ConditionValues, Policy } from "../iam/policy.ts";
import { type EncryptionContext, open, readOrigin, seal } from "./ciphertext.ts";
import { deriveSharedSecret, KEY_AGREEMENT_ALGORITHM, publicKeyOf } from "./key-agreement.ts";
import {
  currentMaterial,
  isMultiRegion,
  type KeyRing,
  type KeyUsage,
  keyArn,
  type MasterKey,
  specOf,
  usageOf,
} from "./key-ring.ts";
import { KmsError } from "./kms-error.ts";
import { computeMac, MAC_ALGORITHM, verifyMac } from "./mac.ts";
import type { RequestName, RequestOf } from "./requests.ts";

const DATA_KEY_BYTES = { AES_256: 32, AES_128: 16 } as const;
const ALGORITHM = "SYMMETRIC_DEFAULT";
const USAGE = "ENCRYPT_DECRYPT";

type Operations = { [Name in RequestName]: (request: RequestOf<Name>) => object };

/**
 * Creates the operations. Their answers are the protocol's JSON: bytes as base64, times in epoch seconds.
 *
 * @param caller undefined for the operator
 */
export function createOperations(
  ring: KeyRing,
  policyOf: (key: MasterKey) => Policy,
  caller: Caller | undefined,
): Operations {
  /** @throws {KmsError} AccessDeniedException if the policies of the key and of the caller do not allow the call */
  function find(action: string, keyId: string, values: ConditionValues = {}): MasterKey {
    const key = ring.find(keyId);
    const request = { action: `kms:${action}`, resource: keyArn(key), values };
    const denial = denialOf(caller, request, policyOf(key));
    if (denial !== undefined) throw new KmsError("AccessDeniedException", denial);
    return key;
  }

  /** Finds a key that is not disabled. */
  function findUsable(action: string, keyId: string, values: ConditionValues = {}): MasterKey {
    const key = find(action, keyId, values);
    if (key.disabled) throw new KmsError("DisabledException", `${keyArn(key)} is disabled.`);
    return key;
  }

  /** Finds a key with the given usage. */
  function findFor(usage: KeyUsage, action: string, keyId: string, values: ConditionValues): MasterKey {
    const key = findUsable(action, keyId, values);
    if (usageOf(key) !== usage) {
      throw new KmsError(
        "InvalidKeyUsageException",
        `${keyArn(key)} key usage is ${usageOf(key)} which is not valid for ${action}.`,
      );
    }
    return key;
  }

  function findForMac(action: string, keyId: string, algorithm: string): MasterKey {
    const key = findFor("GENERATE_VERIFY_MAC", action, keyId, { "kms:MacAlgorithm": [algorithm] });
    if (algorithm !== MAC_ALGORITHM) {
      throw new KmsError(
        "InvalidKeyUsageException",
        `Algorithm ${algorithm} is incompatible with key spec ${specOf(key)}.`,
      );
    }
    return key;
  }

  return {
    GenerateMac({ KeyId, Message, MacAlgorithm }) {
      const key = findForMac("GenerateMac", KeyId, MacAlgorithm);
      return { KeyId: keyArn(key), Mac: computeMac(key, Message).toString("base64"), MacAlgorithm };
    },

    VerifyMac({ KeyId, Message, Mac, MacAlgorithm }) {
      const key = findForMac("VerifyMac", KeyId, MacAlgorithm);
      if (!verifyMac(key, Message, Mac)) throw new KmsError("KMSInvalidMacException");
      return { KeyId: keyArn(key), MacValid: true, MacAlgorithm };
    },

    GetPublicKey({ KeyId }) {
      const key = findUsable("GetPublicKey", KeyId);
      if (usageOf(key) !== "KEY_AGREEMENT") {
        throw new KmsError(
          "UnsupportedOperationException",
          `Keys of the spec ${specOf(key)} have no public key.`,
        );
      }
      return { ...specsOf(key), KeyId: keyArn(key), PublicKey: publicKeyOf(key).toString("base64") };
    },

    DeriveSharedSecret({ KeyId, KeyAgreementAlgorithm, PublicKey }) {
      const key = findFor("KEY_AGREEMENT", "DeriveSharedSecret", KeyId, {
        "kms:KeyAgreementAlgorithm": [KeyAgreementAlgorithm],
      });
      return {
        KeyId: keyArn(key),
        SharedSecret: deriveSharedSecret(key, PublicKey).toString("base64"),
        KeyAgreementAlgorithm,
        KeyOrigin: "AWS_KMS",
      };
    },

    GenerateDataKey({ KeyId, EncryptionContext, KeySpec, NumberOfBytes }) {
      const length = KeySpec === undefined ? NumberOfBytes : DATA_KEY_BYTES[KeySpec];
      if (length === undefined || (KeySpec !== undefined && NumberOfBytes !== undefined)) {
        throw new KmsError("ValidationException", "Please specify either number of bytes or key spec.");
      }
      const plaintext = randomBytes(length);
      const key = findFor(USAGE, "GenerateDataKey", KeyId, valuesOf(EncryptionContext));
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
        findFor(USAGE, "Decrypt", from, valuesOf(EncryptionContext)),
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
        (from) => findFor(USAGE, "ReEncryptFrom", from, valuesFor(from, request.SourceEncryptionContext)),
      );
      const destination = encrypt(
        findFor(USAGE, "ReEncryptTo", key.keyId, valuesFor(source.arn, request.DestinationEncryptionContext)),
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
          Enabled: !key.disabled,
          Description: "",
          KeyState: key.disabled ? "Disabled" : "Enabled",
          Origin: "AWS_KMS",
          KeyManager: "CUSTOMER",
          MultiRegion: isMultiRegion(key),
          ...(isMultiRegion(key) && { MultiRegionConfiguration: placesOf(key) }),
          ...specsOf(key),
          ...(usageOf(key) === USAGE && { CurrentKeyMaterialId: currentMaterial(key).id }),
        },
      };
    },

    EnableKey({ KeyId }) {
      ring.setDisabled(find("EnableKey", KeyId).keyId, false);
      return {};
    },

    DisableKey({ KeyId }) {
      ring.setDisabled(find("DisableKey", KeyId).keyId, true);
      return {};
    },

    RotateKeyOnDemand({ KeyId }) {
      const key = findUsable("RotateKeyOnDemand", KeyId);
      if (usageOf(key) !== USAGE) {
        throw new KmsError("UnsupportedOperationException", `Keys of the spec ${specOf(key)} do not rotate.`);
      }
      return { KeyId: keyArn(ring.rotate(key.keyId)) };
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

const algorithmsOf: Record<KeyUsage, object> = {
  ENCRYPT_DECRYPT: { EncryptionAlgorithms: [ALGORITHM] },
  GENERATE_VERIFY_MAC: { MacAlgorithms: [MAC_ALGORITHM] },
  KEY_AGREEMENT: { KeyAgreementAlgorithms: [KEY_AGREEMENT_ALGORITHM] },
};

/** Builds the fields for a key's spec and usage. */
const specsOf = (key: MasterKey) => ({
  CustomerMasterKeySpec: specOf(key),
  KeySpec: specOf(key),
  KeyUsage: usageOf(key),
  ...algorithmsOf[usageOf(key)],
});

/** Names a multi-Region key as the primary one, without replicas. */
const placesOf = (key: MasterKey) => ({
  MultiRegionKeyType: "PRIMARY",
  PrimaryKey: { Arn: keyArn(key), Region: account.region },
  ReplicaKeys: [],
});

/** Builds the condition values of an encryption context. */
function valuesOf(context: EncryptionContext): ConditionValues {
  const values = Object.entries(context).map(([name, value]) => [`kms:EncryptionContext:${name}`, [value]]);
  return { ...Object.fromEntries(values), "kms:EncryptionContextKeys": Object.keys(context) };
}

function encrypt(key: MasterKey, context: EncryptionContext, plaintext: Buffer) {
  const { id: materialId, secret } = currentMaterial(key);
  const arn = keyArn(key);
  return { arn, materialId, ciphertext: seal({ keyArn: arn, materialId }, secret, context, plaintext) };
}

/** @param permit throws if the key with this ARN may not be used */
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

/** Lists the materials, newest first. */
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
