import {
  DecryptCommand,
  DescribeKeyCommand,
  EncryptCommand,
  GenerateDataKeyCommand,
  InvalidCiphertextException,
  type KMSClient,
  ListKeyRotationsCommand,
  ReEncryptCommand,
  RotateKeyOnDemandCommand,
} from "@aws-sdk/client-kms";
import { beforeEach, describe, expect, it } from "vitest";
import type { MasterKey } from "../../src/kms/key-ring.ts";
import { createKms, type Kms } from "../../src/kms/kms.ts";
import { clientOf } from "./client.ts";

const context = { tenant: "t1", document: "d1", region: "eu" };
const HEX_64 = /^[0-9a-f]{64}$/;

let kms: Kms;
let client: KMSClient;
let KeyId: string;
let arn: string;

beforeEach(() => {
  kms = createKms();
  client = clientOf(kms);
  ({ keyId: KeyId, arn } = kms.ensureKey("Data/Key"));
});

function generate(EncryptionContext: Record<string, string> = context) {
  return client.send(new GenerateDataKeyCommand({ KeyId, KeySpec: "AES_256", EncryptionContext }));
}

describe("GenerateDataKey and Decrypt", () => {
  it("decrypts the ciphertext of a data key", async () => {
    const key = await generate();
    expect(key.Plaintext).toHaveLength(32);
    expect(key.KeyId).toBe(arn);
    expect(key.KeyMaterialId).toMatch(HEX_64);

    const opened = await client.send(
      new DecryptCommand({ CiphertextBlob: key.CiphertextBlob, EncryptionContext: context }),
    );
    expect(opened).toMatchObject({
      KeyId: arn,
      Plaintext: key.Plaintext,
      KeyMaterialId: key.KeyMaterialId,
      EncryptionAlgorithm: "SYMMETRIC_DEFAULT",
    });
  });

  it("never repeats a data key or a ciphertext", async () => {
    const [one, two] = await Promise.all([generate(), generate()]);
    expect(one.Plaintext).not.toEqual(two.Plaintext);
    expect(one.CiphertextBlob).not.toEqual(two.CiphertextBlob);
  });

  it.each([
    [{ KeySpec: "AES_128" as const }, 16],
    [{ NumberOfBytes: 1024 }, 1024],
  ])("accepts a size of %o, %i bytes", async (size, length) => {
    const { Plaintext } = await client.send(new GenerateDataKeyCommand({ KeyId: arn, ...size }));
    expect(Plaintext).toHaveLength(length);
  });

  it.each([
    [{}],
    [{ KeySpec: "AES_256" as const, NumberOfBytes: 32 }],
    [{ NumberOfBytes: 0 }],
    [{ NumberOfBytes: 1025 }],
  ])("refuses a size of %o", async (size) => {
    await expect(client.send(new GenerateDataKeyCommand({ KeyId, ...size }))).rejects.toMatchObject({
      name: "ValidationException",
      $metadata: { httpStatusCode: 400 },
    });
  });

  it("ignores the order of the encryption context", async () => {
    const { CiphertextBlob, Plaintext } = await generate({ a: "1", b: "2", c: "3" });
    const opened = await client.send(
      new DecryptCommand({ CiphertextBlob, EncryptionContext: { c: "3", a: "1", b: "2" } }),
    );
    expect(opened.Plaintext).toEqual(Plaintext);
  });

  it.each([
    ["no pairs", {}],
    ["one pair less", { tenant: "t1", document: "d1" }],
    ["one pair more", { ...context, version: "1" }],
    ["another value", { ...context, tenant: "t2" }],
    ["another case", { Tenant: "t1", document: "d1", region: "eu" }],
    ["pairs joined to one", { 'region","eu"],["tenant': "t1", document: "d1" }],
  ])("decrypts no ciphertext in a context with %s", async (_, EncryptionContext) => {
    const { CiphertextBlob } = await generate();
    await expect(
      client.send(new DecryptCommand({ CiphertextBlob, EncryptionContext })),
    ).rejects.toBeInstanceOf(InvalidCiphertextException);
  });

  it("decrypts no ciphertext that is truncated or changed in any byte", async () => {
    const { CiphertextBlob = new Uint8Array() } = await generate();
    const damaged = [...CiphertextBlob.keys()].flatMap((at) => {
      const flipped = Uint8Array.from(CiphertextBlob);
      flipped[at] = (flipped[at] ?? 0) ^ 1;
      return [flipped, CiphertextBlob.subarray(0, at)];
    });
    for (const blob of damaged) {
      const { status, body } = kms.handle("TrentService.Decrypt", {
        CiphertextBlob: Buffer.from(blob).toString("base64"),
        EncryptionContext: context,
      });
      expect(status).toBe(400);
      expect(body).toHaveProperty(
        "__type",
        blob.length === 0 ? "ValidationException" : "InvalidCiphertextException",
      );
    }
  });

  it("refuses a KeyId other than the ciphertext's key", async () => {
    const { CiphertextBlob } = await generate();
    const other = kms.ensureKey("Data/OtherKey");
    const decrypt = (id: string) =>
      client.send(new DecryptCommand({ CiphertextBlob, EncryptionContext: context, KeyId: id }));
    await expect(decrypt(other.keyId)).rejects.toMatchObject({ name: "IncorrectKeyException" });
    await expect(decrypt(arn)).resolves.toMatchObject({ KeyId: arn });
  });

  it.each([
    ["an unknown key", "00000000-0000-0000-0000-000000000000", "does not exist"],
    ["a malformed id", "alias-of-key", "Invalid keyId 'alias-of-key'"],
  ])("finds no key for %s", async (_, id, message) => {
    await expect(
      client.send(new GenerateDataKeyCommand({ KeyId: id, KeySpec: "AES_256" })),
    ).rejects.toMatchObject({ name: "NotFoundException", message: expect.stringContaining(message) });
  });
});

describe("rotation", () => {
  it("encrypts with the new material after a rotation and still decrypts old ciphertexts", async () => {
    const before = await generate();
    await client.send(new RotateKeyOnDemandCommand({ KeyId }));
    const after = await generate();

    expect(after.KeyMaterialId).not.toBe(before.KeyMaterialId);
    for (const key of [before, after]) {
      const opened = await client.send(
        new DecryptCommand({ CiphertextBlob: key.CiphertextBlob, EncryptionContext: context }),
      );
      expect(opened).toMatchObject({ Plaintext: key.Plaintext, KeyMaterialId: key.KeyMaterialId });
    }
    const { KeyMetadata } = await client.send(new DescribeKeyCommand({ KeyId: arn }));
    expect(KeyMetadata).toMatchObject({ Arn: arn, KeyId, CurrentKeyMaterialId: after.KeyMaterialId });
  });

  it("moves old ciphertexts to the new material and another context with ReEncrypt", async () => {
    const before = await generate();
    await client.send(new RotateKeyOnDemandCommand({ KeyId }));
    const moved = await client.send(
      new ReEncryptCommand({
        CiphertextBlob: before.CiphertextBlob,
        SourceEncryptionContext: context,
        DestinationKeyId: KeyId,
        DestinationEncryptionContext: { v: "2" },
      }),
    );
    expect(moved).toMatchObject({ KeyId: arn, SourceKeyId: arn, SourceKeyMaterialId: before.KeyMaterialId });
    expect(moved.DestinationKeyMaterialId).not.toBe(before.KeyMaterialId);

    const opened = await client.send(
      new DecryptCommand({ CiphertextBlob: moved.CiphertextBlob, EncryptionContext: { v: "2" } }),
    );
    expect(opened).toMatchObject({
      Plaintext: before.Plaintext,
      KeyMaterialId: moved.DestinationKeyMaterialId,
    });
  });

  it("lists rotations newest first, page by page", async () => {
    const list = (input: object) => client.send(new ListKeyRotationsCommand({ KeyId, ...input }));
    expect(await list({})).toMatchObject({ Rotations: [], Truncated: false });

    await client.send(new RotateKeyOnDemandCommand({ KeyId }));
    await client.send(new RotateKeyOnDemandCommand({ KeyId }));
    const { Rotations = [] } = await list({});
    expect(Rotations).toMatchObject([
      { KeyId: arn, KeyMaterialState: "CURRENT", RotationType: "ON_DEMAND", RotationDate: expect.any(Date) },
      { KeyMaterialState: "NON_CURRENT" },
    ]);

    const all = await list({ IncludeKeyMaterial: "ALL_KEY_MATERIAL", Limit: 2 });
    expect(all).toMatchObject({ Rotations, Truncated: true });
    const rest = await list({
      IncludeKeyMaterial: "ALL_KEY_MATERIAL",
      Limit: 2,
      Marker: all.NextMarker,
    });
    expect(rest.Rotations).toHaveLength(1);
    expect(rest.Rotations?.[0]).not.toHaveProperty("RotationDate", expect.any(Date));
    expect(rest.Truncated).toBe(false);
  });

  it("allows 25 rotations on request", () => {
    const rotate = () => kms.handle("TrentService.RotateKeyOnDemand", { KeyId });
    for (let times = 0; times < 25; times++) expect(rotate().status).toBe(200);
    expect(rotate()).toMatchObject({ status: 400, body: { __type: "LimitExceededException" } });
  });
});

describe("save", () => {
  it("saves new keys at once, so that a restart decrypts every ciphertext", async () => {
    let saved: readonly MasterKey[] = [];
    const first = createKms({ save: (keys) => (saved = structuredClone(keys)) });
    const { keyId } = first.ensureKey("k");
    expect(saved).toMatchObject([{ name: "k", keyId }]);
    const generated = first.handle("TrentService.GenerateDataKey", { KeyId: keyId, NumberOfBytes: 32 });
    first.handle("TrentService.RotateKeyOnDemand", { KeyId: keyId });
    expect(saved[0]?.materials).toHaveLength(2);

    const second = createKms({ keys: saved });
    expect(second.ensureKey("k").keyId).toBe(keyId);
    const { CiphertextBlob, Plaintext } = generated.body as Record<string, string>;
    expect(second.handle("TrentService.Decrypt", { CiphertextBlob }).body).toMatchObject({ Plaintext });
  });

  it("decrypts with a multi-Region key, also after a restart", () => {
    let saved: readonly MasterKey[] = [];
    const first = createKms({ save: (keys) => (saved = structuredClone(keys)) });
    const { keyId, arn } = first.ensureKey("k", "SYMMETRIC_DEFAULT", { isMultiRegion: true });
    expect(keyId).toMatch(/^mrk-[0-9a-f]{32}$/);
    expect(first.handle("TrentService.DescribeKey", { KeyId: keyId }).body).toMatchObject({
      KeyMetadata: {
        MultiRegion: true,
        MultiRegionConfiguration: {
          MultiRegionKeyType: "PRIMARY",
          PrimaryKey: { Arn: arn, Region: "us-east-1" },
          ReplicaKeys: [],
        },
      },
    });
    const generated = first.handle("TrentService.GenerateDataKey", { KeyId: arn, NumberOfBytes: 32 });
    const { CiphertextBlob, Plaintext } = generated.body as Record<string, string>;
    const second = createKms({ keys: saved });
    expect(second.handle("TrentService.Decrypt", { KeyId: arn, CiphertextBlob }).body).toMatchObject({
      KeyId: arn,
      Plaintext,
    });
  });

  it("keeps a key of one Region that was stored before its template asked for several", () => {
    const key = kms.ensureKey("Data/Key", "SYMMETRIC_DEFAULT", { isMultiRegion: true });
    expect(key).toEqual({ keyId: KeyId, arn });
    expect(kms.handle("TrentService.DescribeKey", { KeyId }).body).toMatchObject({
      KeyMetadata: { MultiRegion: false },
    });
  });

  it("undoes a rotation that cannot be saved", () => {
    let full = false;
    const fragile = createKms({
      save: () => {
        if (full) throw new Error("disk full");
      },
    });
    const { keyId } = fragile.ensureKey("k");
    full = true;
    expect(() => fragile.handle("TrentService.RotateKeyOnDemand", { KeyId: keyId })).toThrow("disk full");
    expect(fragile.handle("TrentService.ListKeyRotations", { KeyId: keyId }).body).toMatchObject({
      Rotations: [],
    });
  });
});

describe("a call that is not emulated", () => {
  it("refuses an unknown operation by name", async () => {
    await expect(client.send(new EncryptCommand({ KeyId, Plaintext: Buffer.from("x") }))).rejects.toThrow(
      "TrentService.Encrypt is not emulated",
    );
  });

  it.each(["TrentService.toString", "TrentService.", "Decrypt", "", "Other.Decrypt"])(
    "refuses a call with the target %j",
    (target) => {
      expect(kms.handle(target, {})).toMatchObject({ body: { __type: "UnknownOperationException" } });
    },
  );

  it("refuses an unknown parameter by name", async () => {
    await expect(
      client.send(new GenerateDataKeyCommand({ KeyId, KeySpec: "AES_256", DryRun: true })),
    ).rejects.toThrow("Value at 'DryRun'");
  });

  it.each([[null], ["text"], [[]], [{ KeyId: 7 }], [{ KeyId: "k", EncryptionContext: { a: 1 } }]])(
    "refuses a call with the body %j",
    (body) => {
      expect(kms.handle("TrentService.GenerateDataKey", body)).toMatchObject({
        status: 400,
        body: { __type: "ValidationException" },
      });
    },
  );
});
