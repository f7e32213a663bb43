import { generateKeyPairSync, randomBytes, randomUUID } from "node:crypto";
import { account, arn } from "../account.ts";
import { StartupError } from "../startup-error.ts";
import type { Origin } from "./ciphertext.ts";
import { KmsError } from "./kms-error.ts";

/**
 * One generation of a key's secret. `id` is 64 hex digits; `secret` is base64 of 32 bytes or of a private key in PKCS
 * #8; `rotatedAt` (epoch ms) is absent on the first generation.
 */
export type KeyMaterial = { id: string; secret: string; rotatedAt?: number };

export type KeyUsage = "ENCRYPT_DECRYPT" | "GENERATE_VERIFY_MAC" | "KEY_AGREEMENT";

/** Key specs and each one's usage. On AWS, keys on a curve can also sign. */
export const usageOfSpec = {
  SYMMETRIC_DEFAULT: "ENCRYPT_DECRYPT",
  HMAC_256: "GENERATE_VERIFY_MAC",
  ECC_NIST_P256: "KEY_AGREEMENT",
} as const satisfies Record<string, KeyUsage>;

export type KeySpec = keyof typeof usageOfSpec;

/** Whether a key can have replicas in other Regions. By default, it cannot. */
export type KeyPlaces = { isMultiRegion?: boolean };

/** A key. Its last material encrypts, earlier ones only decrypt. `name` identifies it across restarts. */
export type MasterKey = {
  name: string;
  keyId: string;
  createdAt: number;
  /** Defaults to SYMMETRIC_DEFAULT. */
  spec?: KeySpec;
  disabled?: boolean;
  materials: [KeyMaterial, ...KeyMaterial[]];
};

export type KeyRingOptions = {
  keys?: readonly MasterKey[];
  /** Stores the keys before returning, so that no answer depends on a key that a crash could lose. */
  save?: (keys: readonly MasterKey[]) => void;
  now?: () => number;
};

export type KeyRing = ReturnType<typeof createKeyRing>;

const SECRET_BYTES = 32;
const MAX_ROTATIONS_ON_DEMAND = 25;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const MULTI_REGION_ID = /^mrk-[0-9a-f]{32}$/;
const ARN_PREFIX = arn("kms", "key/");

export function keyArn(key: MasterKey): string {
  return ARN_PREFIX + key.keyId;
}

export function currentMaterial(key: MasterKey): KeyMaterial {
  return key.materials.at(-1) ?? key.materials[0];
}

export function specOf({ spec = "SYMMETRIC_DEFAULT" }: MasterKey): KeySpec {
  return spec;
}

export function usageOf(key: MasterKey): KeyUsage {
  return usageOfSpec[specOf(key)];
}

/** True for a multi-Region key, whose id has a prefix of its own on AWS. */
export const isMultiRegion = ({ keyId }: MasterKey): boolean => MULTI_REGION_ID.test(keyId);

export function createKeyRing({ keys = [], save = () => {}, now = Date.now }: KeyRingOptions) {
  let ring = [...keys];

  function commit(next: MasterKey[]): void {
    save(next);
    ring = next;
  }

  function find(keyIdOrArn: string): MasterKey {
    const keyId = keyIdOrArn.startsWith(ARN_PREFIX) ? keyIdOrArn.slice(ARN_PREFIX.length) : keyIdOrArn;
    if (!UUID.test(keyId) && !MULTI_REGION_ID.test(keyId))
      throw new KmsError("NotFoundException", `Invalid keyId '${keyIdOrArn}'`);
    const key = ring.find((candidate) => candidate.keyId === keyId);
    if (key === undefined) {
      throw new KmsError("NotFoundException", `Key '${ARN_PREFIX}${keyId}' does not exist`);
    }
    return key;
  }

  return {
    find,

    /** Finds the material that sealed a ciphertext. Undefined if no key of the ring sealed it. */
    findMaterial({ keyArn: sealedWith, materialId }: Origin): KeyMaterial | undefined {
      return ring
        .find((key) => keyArn(key) === sealedWith)
        ?.materials.find((material) => material.id === materialId);
    },

    /**
     * Returns the key with the given name, and creates it first if necessary. A stored key keeps its id, so data
     * from before it was multi-Region can still be read.
     * @throws {StartupError} if the stored key has another spec
     */
    ensure(
      name: string,
      spec: KeySpec = "SYMMETRIC_DEFAULT",
      { isMultiRegion = false }: KeyPlaces = {},
    ): MasterKey {
      const known = ring.find((key) => key.name === name);
      if (known !== undefined) {
        if (specOf(known) === spec) return known;
        throw new StartupError(
          `The stored key ${name} is ${specOf(known)}, the template's is ${spec}; choose another --data-dir.`,
        );
      }
      const key: MasterKey = {
        name,
        keyId: isMultiRegion ? `mrk-${randomUUID().replaceAll("-", "")}` : randomUUID(),
        createdAt: now(),
        ...(spec !== "SYMMETRIC_DEFAULT" && { spec }),
        materials: [newMaterial(spec)],
      };
      commit([...ring, key]);
      return key;
    },

    setDisabled(keyIdOrArn: string, disabled: boolean): void {
      const key = find(keyIdOrArn);
      commit(ring.map((other) => (other === key ? { ...key, disabled } : other)));
    },

    rotate(keyIdOrArn: string): MasterKey {
      const key = find(keyIdOrArn);
      if (key.materials.length > MAX_ROTATIONS_ON_DEMAND) {
        throw new KmsError(
          "LimitExceededException",
          `Key '${keyArn(key)}' was rotated on demand ${MAX_ROTATIONS_ON_DEMAND} times in account ${account.id}`,
        );
      }
      const rotated: MasterKey = {
        ...key,
        materials: [...key.materials, { ...newMaterial(specOf(key)), rotatedAt: now() }],
      };
      commit(ring.map((other) => (other === key ? rotated : other)));
      return rotated;
    },
  };
}

function newMaterial(spec: KeySpec): KeyMaterial {
  const secret = spec === "ECC_NIST_P256" ? newPrivateKey() : randomBytes(SECRET_BYTES);
  return { id: randomBytes(32).toString("hex"), secret: secret.toString("base64") };
}

const newPrivateKey = (): Buffer =>
  generateKeyPairSync("ec", {
    namedCurve: "P-256",
    publicKeyEncoding: { type: "spki", format: "der" },
    privateKeyEncoding: { type: "pkcs8", format: "der" },
  }).privateKey;
