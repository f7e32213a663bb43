import { createHmac } from "node:crypto";
import {
  DecryptCommand,
  DescribeKeyCommand,
  DisableKeyCommand,
  EnableKeyCommand,
  GenerateDataKeyCommand,
  GenerateMacCommand,
  type KMSClient,
  KMSInvalidMacException,
  type MacAlgorithmSpec,
  RotateKeyOnDemandCommand,
  VerifyMacCommand,
} from "@aws-sdk/client-kms";
import { beforeEach, describe, expect, it } from "vitest";
import { readKeyKind } from "../../src/kms/key-definition.ts";
import type { MasterKey } from "../../src/kms/key-ring.ts";
import { createKms, type Kms } from "../../src/kms/kms.ts";
import { resourcesOf } from "../cloudformation/stack.ts";
import { clientOf } from "./client.ts";

const MacAlgorithm: MacAlgorithmSpec = "HMAC_SHA_256";
const Message = Buffer.from("buy 1 MOON");

let saved: readonly MasterKey[];
let kms: Kms;
let client: KMSClient;
let KeyId: string;
let arn: string;

beforeEach(() => {
  kms = createKms({ save: (keys) => (saved = structuredClone(keys)) });
  client = clientOf(kms);
  ({ keyId: KeyId, arn } = kms.ensureKey("Data/MacKey", "HMAC_256"));
});

const generate = (input: object = {}) =>
  client.send(new GenerateMacCommand({ KeyId, Message, MacAlgorithm, ...input }));
const verify = (Mac: Uint8Array | undefined, input: object = {}) =>
  client.send(new VerifyMacCommand({ KeyId, Message, Mac, MacAlgorithm, ...input }));
const failure = (name: string, message: string) => ({ name, message, $metadata: { httpStatusCode: 400 } });

describe("GenerateMac and VerifyMac", () => {
  it("computes HMAC-SHA-256 under the key's secret", async () => {
    const { Mac, ...rest } = await generate({ KeyId: arn });
    expect(rest).toMatchObject({ KeyId: arn, MacAlgorithm });
    const secret = Buffer.from(saved[0]?.materials[0].secret ?? "", "base64");
    expect(secret).toHaveLength(32);
    expect(Buffer.from(Mac ?? [])).toEqual(createHmac("sha256", secret).update(Message).digest());
    expect(await verify(Mac)).toMatchObject({ KeyId: arn, MacValid: true, MacAlgorithm });
  });

  it("refuses a MAC that differs in any bit or in length, or belongs to another message or key", async () => {
    const { Mac = new Uint8Array() } = await generate();
    const flipped = [...Mac.keys()].map((at) => Mac.map((byte, index) => (index === at ? byte ^ 1 : byte)));
    const wrong = [...flipped, Mac.subarray(0, 31), Buffer.concat([Mac, Buffer.of(0)])];
    for (const mac of wrong) await expect(verify(mac)).rejects.toBeInstanceOf(KMSInvalidMacException);
    const other = kms.ensureKey("Data/OtherMacKey", "HMAC_256").keyId;
    for (const input of [{ Message: Buffer.from("buy 2 MOON") }, { KeyId: other }])
      await expect(verify(Mac, input)).rejects.toMatchObject({
        name: "KMSInvalidMacException",
        $metadata: { httpStatusCode: 400 },
      });
  });

  it("accepts messages of 1 to 4,096 bytes", async () => {
    for (const length of [1, 4096]) {
      const { Mac } = await generate({ Message: Buffer.alloc(length) });
      expect(await verify(Mac, { Message: Buffer.alloc(length) })).toMatchObject({ MacValid: true });
    }
    for (const length of [0, 4097]) {
      const input = { Message: Buffer.alloc(length) };
      const refused = { name: "ValidationException", message: expect.stringContaining("'Message'") };
      await expect(generate(input)).rejects.toMatchObject(refused);
      await expect(verify(Buffer.alloc(32), input)).rejects.toMatchObject(refused);
    }
  });

  it("refuses unknown algorithms and those that the key does not support", async () => {
    const name = "InvalidKeyUsageException";
    await expect(generate({ MacAlgorithm: "HMAC_SHA_384" })).rejects.toMatchObject(
      failure(name, "Algorithm HMAC_SHA_384 is incompatible with key spec HMAC_256."),
    );
    await expect(generate({ MacAlgorithm: "HMAC_SHA_1" })).rejects.toMatchObject({
      name: "ValidationException",
    });
  });

  it("refuses a key for encryption, and refuses to encrypt with HMAC keys", async () => {
    const name = "InvalidKeyUsageException";
    const symmetric = kms.ensureKey("Data/Key");
    await expect(generate({ KeyId: symmetric.keyId })).rejects.toMatchObject(
      failure(name, `${symmetric.arn} key usage is ENCRYPT_DECRYPT which is not valid for GenerateMac.`),
    );
    await expect(verify(Buffer.alloc(32), { KeyId: symmetric.keyId })).rejects.toMatchObject({ name });
    await expect(
      client.send(new GenerateDataKeyCommand({ KeyId, KeySpec: "AES_256" })),
    ).rejects.toMatchObject(
      failure(name, `${arn} key usage is GENERATE_VERIFY_MAC which is not valid for GenerateDataKey.`),
    );
    await expect(client.send(new RotateKeyOnDemandCommand({ KeyId }))).rejects.toMatchObject({
      name: "UnsupportedOperationException",
    });
  });

  it("reports an unknown key", async () => {
    const unknown = { KeyId: "00000000-0000-0000-0000-000000000000" };
    for (const call of [generate(unknown), verify(Buffer.alloc(32), unknown)])
      await expect(call).rejects.toMatchObject(
        failure("NotFoundException", expect.stringContaining("does not exist")),
      );
  });

  it("requires a permission for each MAC operation", async () => {
    const allow = (Action: string, Condition = {}) => ({
      Statement: [{ Effect: "Allow", Action, Principal: "*", Resource: "*", Condition }],
    });
    const { Mac } = await generate();
    const denied = (action: string) => ({ name: "AccessDeniedException", message: RegExp(`kms:${action} `) });
    kms.setPolicy(KeyId, allow("kms:VerifyMac"));
    await expect(generate()).rejects.toMatchObject(denied("GenerateMac"));
    expect(await verify(Mac)).toMatchObject({ MacValid: true });
    kms.setPolicy(KeyId, allow("kms:GenerateMac", { StringEquals: { "kms:MacAlgorithm": MacAlgorithm } }));
    expect(await generate()).toMatchObject({ Mac });
    await expect(verify(Mac)).rejects.toMatchObject(denied("VerifyMac"));
  });
});

describe("an HMAC key", () => {
  it("describes the spec and usage of an HMAC key", async () => {
    const { KeyMetadata } = await client.send(new DescribeKeyCommand({ KeyId }));
    expect(KeyMetadata).toMatchObject({
      Arn: arn,
      KeySpec: "HMAC_256",
      KeyUsage: "GENERATE_VERIFY_MAC",
      KeyState: "Enabled",
      MacAlgorithms: [MacAlgorithm],
    });
    expect(KeyMetadata).not.toHaveProperty("EncryptionAlgorithms");
  });

  it("keeps an HMAC key after a restart", async () => {
    const { Mac } = await generate();
    client = clientOf(createKms({ keys: saved }));
    expect(await verify(Mac)).toMatchObject({ MacValid: true });
  });

  it("refuses to replace a stored key for encryption by an HMAC key", () => {
    kms.ensureKey("Data/Key");
    expect(() => kms.ensureKey("Data/Key", "HMAC_256")).toThrow(
      "The stored key Data/Key is SYMMETRIC_DEFAULT, the template's is HMAC_256; choose another --data-dir.",
    );
  });
});

describe("a disabled key", () => {
  it("refuses all use of a disabled key until it is enabled again", async () => {
    const { Mac } = await generate();
    await client.send(new DisableKeyCommand({ KeyId }));
    const disabled = failure("DisabledException", `${arn} is disabled.`);
    await expect(generate()).rejects.toMatchObject(disabled);
    await expect(verify(Mac)).rejects.toMatchObject(disabled);
    const { KeyMetadata } = await client.send(new DescribeKeyCommand({ KeyId }));
    expect(KeyMetadata).toMatchObject({ KeyState: "Disabled", Enabled: false });
    client = clientOf(createKms({ keys: saved }));
    await expect(generate()).rejects.toMatchObject(disabled);
    await client.send(new EnableKeyCommand({ KeyId }));
    expect(await generate()).toMatchObject({ Mac });
  });

  it("decrypts nothing with a disabled key", async () => {
    const { keyId } = kms.ensureKey("Data/Key");
    const { CiphertextBlob } = await client.send(
      new GenerateDataKeyCommand({ KeyId: keyId, KeySpec: "AES_256" }),
    );
    await client.send(new DisableKeyCommand({ KeyId: keyId }));
    await expect(client.send(new DecryptCommand({ CiphertextBlob }))).rejects.toMatchObject({
      name: "DisabledException",
    });
  });
});

describe("readKeyKind", () => {
  const kindOf = (Properties: Record<string, unknown>) => {
    const [key] = resourcesOf({ Key: { Type: "AWS::KMS::Key", Properties } }).all;
    if (key === undefined) throw new Error("There is no key");
    return readKeyKind(key);
  };
  const hmac = { KeySpec: "HMAC_256", KeyUsage: "GENERATE_VERIFY_MAC" };

  it("reads a key as symmetric unless the template says otherwise", () => {
    expect(kindOf({ EnableKeyRotation: true })).toEqual({ spec: "SYMMETRIC_DEFAULT", isMultiRegion: false });
    expect(kindOf(hmac)).toMatchObject({ spec: "HMAC_256" });
  });

  it("accepts a multi-Region key", () => {
    expect(kindOf({ MultiRegion: true })).toMatchObject({ isMultiRegion: true });
  });

  it.each<[Record<string, unknown>, string]>([
    [{ KeySpec: "HMAC_256" }, "KeyUsage: must be GENERATE_VERIFY_MAC for the KeySpec HMAC_256"],
    [{ KeyUsage: "SIGN_VERIFY" }, "KeyUsage: must be ENCRYPT_DECRYPT for the KeySpec SYMMETRIC_DEFAULT"],
    [{ KeySpec: "RSA_2048" }, "KeySpec: must be one of SYMMETRIC_DEFAULT, HMAC_256, ECC_NIST_P256"],
    [
      { ...hmac, EnableKeyRotation: true },
      "EnableKeyRotation: AWS does not rotate keys of the KeySpec HMAC_256",
    ],
    [{ MultiRegion: "yes" }, "MultiRegion"],
    [{ Enabled: false }, "Enabled: a disabled key"],
  ])("refuses the key properties %o", (properties, message) => {
    expect(() => kindOf(properties)).toThrow(message);
  });
});
