import { createPublicKey, diffieHellman, generateKeyPairSync, type KeyObject } from "node:crypto";
import {
  DeriveSharedSecretCommand,
  DescribeKeyCommand,
  DisableKeyCommand,
  GenerateDataKeyCommand,
  GetPublicKeyCommand,
  type KMSClient,
  RotateKeyOnDemandCommand,
} from "@aws-sdk/client-kms";
import { beforeEach, describe, expect, it } from "vitest";
import { readKeyKind } from "../../src/kms/key-definition.ts";
import type { MasterKey } from "../../src/kms/key-ring.ts";
import { createKms, type Kms } from "../../src/kms/kms.ts";
import { resourcesOf } from "../cloudformation/stack.ts";
import { clientOf } from "./client.ts";

const spki = { type: "spki", format: "der" } as const;
const KeyAgreementAlgorithm = "ECDH" as const;

let saved: readonly MasterKey[];
let kms: Kms;
let client: KMSClient;
let KeyId: string;
let arn: string;

beforeEach(() => {
  kms = createKms({ save: (keys) => (saved = structuredClone(keys)) });
  client = clientOf(kms);
  ({ keyId: KeyId, arn } = kms.ensureKey("Data/ImportKey", "ECC_NIST_P256"));
});

const keyPair = (namedCurve = "P-256") => generateKeyPairSync("ec", { namedCurve });
const getPublicKey = (input: object = {}) => client.send(new GetPublicKeyCommand({ KeyId, ...input }));
const derive = (PublicKey: Uint8Array, input: object = {}) =>
  client.send(new DeriveSharedSecretCommand({ KeyId, KeyAgreementAlgorithm, PublicKey, ...input }));
const bytesOf = (key: KeyObject): Buffer => key.export(spki);
const failure = (name: string, message: unknown) => ({ name, message, $metadata: { httpStatusCode: 400 } });

describe("GetPublicKey", () => {
  it("returns the public key, its spec and its usage", async () => {
    const { PublicKey = new Uint8Array(), ...rest } = await getPublicKey({ KeyId: arn });
    expect(rest).toMatchObject({
      KeyId: arn,
      KeySpec: "ECC_NIST_P256",
      KeyUsage: "KEY_AGREEMENT",
      KeyAgreementAlgorithms: [KeyAgreementAlgorithm],
    });
    const key = createPublicKey({ key: Buffer.from(PublicKey), ...spki });
    expect(key.asymmetricKeyDetails?.namedCurve).toBe("prime256v1");
  });

  it("fails for a symmetric key, which has no public key", async () => {
    const { keyId } = kms.ensureKey("Data/Key");
    await expect(getPublicKey({ KeyId: keyId })).rejects.toMatchObject({
      name: "UnsupportedOperationException",
    });
  });
});

describe("DeriveSharedSecret", () => {
  it("returns the secret that the other party derives from the public key, even after a restart", async () => {
    const other = keyPair();
    const { PublicKey = new Uint8Array() } = await getPublicKey();
    const expected = diffieHellman({
      privateKey: other.privateKey,
      publicKey: createPublicKey({ key: Buffer.from(PublicKey), ...spki }),
    });
    for (const served of [kms, createKms({ keys: saved })]) {
      client = clientOf(served);
      const { SharedSecret = new Uint8Array(), ...rest } = await derive(bytesOf(other.publicKey));
      expect(Buffer.from(SharedSecret)).toEqual(expected);
      expect(rest).toMatchObject({ KeyId: arn, KeyAgreementAlgorithm, KeyOrigin: "AWS_KMS" });
    }
  });

  it("refuses anything but an uncompressed point on its curve", async () => {
    const good = bytesOf(keyPair().publicKey);
    const prefix = good.subarray(0, 26);
    const offCurve = Buffer.from(good);
    offCurve.writeUInt8(offCurve.readUInt8(90) ^ 1, 90);
    const [x, y] = [good.subarray(27, 59), good.subarray(59)];
    const compressed = Buffer.concat([Buffer.of(2 + (y.readUInt8(31) & 1)), x]);
    const compressedKey = Buffer.concat([
      Buffer.from("3039301306072a8648ce3d020106082a8648ce3d030107032200", "hex"),
      compressed,
    ]);
    expect(createPublicKey({ key: compressedKey, ...spki }).asymmetricKeyType).toBe("ec");
    const identity = Buffer.from("3019301306072a8648ce3d020106082a8648ce3d030107030200" + "00", "hex");
    const refused = [
      offCurve,
      compressedKey,
      identity,
      Buffer.concat([prefix, Buffer.alloc(65)]),
      good.subarray(0, 90),
      Buffer.concat([good, Buffer.of(0)]),
      bytesOf(keyPair("P-384").publicKey),
      bytesOf(keyPair("secp256k1").publicKey),
      Buffer.from("no key"),
    ];
    for (const key of refused)
      await expect(derive(key)).rejects.toMatchObject(
        failure("ValidationException", "The public key is not valid for the key spec ECC_NIST_P256."),
      );
    await expect(derive(Buffer.alloc(0))).rejects.toMatchObject({ name: "ValidationException" });
  });

  it("refuses keys for other uses, and other operations with key agreement keys", async () => {
    const { publicKey } = keyPair();
    const name = "InvalidKeyUsageException";
    for (const spec of ["SYMMETRIC_DEFAULT", "HMAC_256"] as const) {
      const other = kms.ensureKey(`Data/${spec}`, spec);
      await expect(derive(bytesOf(publicKey), { KeyId: other.keyId })).rejects.toMatchObject(
        failure(name, expect.stringMatching(/which is not valid for DeriveSharedSecret\.$/)),
      );
    }
    await expect(
      client.send(new GenerateDataKeyCommand({ KeyId, KeySpec: "AES_256" })),
    ).rejects.toMatchObject({ name });
    await expect(client.send(new RotateKeyOnDemandCommand({ KeyId }))).rejects.toMatchObject({
      name: "UnsupportedOperationException",
    });
  });

  it("refuses an unknown key, a disabled one and another algorithm", async () => {
    const key = bytesOf(keyPair().publicKey);
    const unknown = { KeyId: "00000000-0000-0000-0000-000000000000" };
    for (const call of [derive(key, unknown), getPublicKey(unknown)])
      await expect(call).rejects.toMatchObject(
        failure("NotFoundException", expect.stringContaining("does not exist")),
      );
    await expect(derive(key, { KeyAgreementAlgorithm: "DH" })).rejects.toMatchObject({
      name: "ValidationException",
    });
    await client.send(new DisableKeyCommand({ KeyId }));
    for (const call of [derive(key), getPublicKey()])
      await expect(call).rejects.toMatchObject(failure("DisabledException", `${arn} is disabled.`));
  });

  it("requires a permission, like GetPublicKey", async () => {
    const allow = (Action: string, Condition = {}) => ({
      Statement: [{ Effect: "Allow", Action, Principal: "*", Resource: "*", Condition }],
    });
    const key = bytesOf(keyPair().publicKey);
    const denied = (action: string) => ({ name: "AccessDeniedException", message: RegExp(`kms:${action} `) });
    kms.setPolicy(KeyId, allow("kms:GetPublicKey"));
    await expect(derive(key)).rejects.toMatchObject(denied("DeriveSharedSecret"));
    await getPublicKey();
    const withEcdh = { StringEquals: { "kms:KeyAgreementAlgorithm": "ECDH" } };
    kms.setPolicy(KeyId, allow("kms:DeriveSharedSecret", withEcdh));
    await expect(getPublicKey()).rejects.toMatchObject(denied("GetPublicKey"));
    await derive(key);
  });
});

describe("a key for key agreement", () => {
  it("describes the key's spec and usage", async () => {
    const { KeyMetadata } = await client.send(new DescribeKeyCommand({ KeyId }));
    expect(KeyMetadata).toMatchObject({
      Arn: arn,
      KeySpec: "ECC_NIST_P256",
      KeyUsage: "KEY_AGREEMENT",
      KeyAgreementAlgorithms: [KeyAgreementAlgorithm],
    });
    expect(KeyMetadata).not.toHaveProperty("CurrentKeyMaterialId");
  });

  it("reads a key for key agreement from a template", () => {
    const kindOf = (Properties: Record<string, unknown>) => {
      const [key] = resourcesOf({ Key: { Type: "AWS::KMS::Key", Properties } }).all;
      if (key === undefined) throw new Error("There is no key");
      return readKeyKind(key);
    };
    const KeySpec = "ECC_NIST_P256";
    expect(kindOf({ KeySpec, KeyUsage: "KEY_AGREEMENT" })).toMatchObject({ spec: KeySpec });
    expect(() => kindOf({ KeySpec, KeyUsage: "SIGN_VERIFY" })).toThrow(
      "KeyUsage: must be KEY_AGREEMENT for the KeySpec ECC_NIST_P256",
    );
  });
});
