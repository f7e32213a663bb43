import { createPublicKey, diffieHellman, generateKeyPairSync } from "node:crypto";
import { KMSClient } from "@aws-sdk/client-kms";
import { createKms, type Kms, kmsRequestHandler } from "cdk-local-runner/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { importKeysOf } from "../../../lib/wallets/keys/import-keys.ts";
import { listImportKeys } from "../../../lib/wallets/keys/list-import-keys.ts";
import { keyIdOf, pointIn, spkiOf } from "../../../lib/wallets/keys/sealing.ts";

let kms: Kms;
let ids: string[];
let calls: string[];

beforeEach(() => {
  kms = createKms();
  ids = ["1", "2"].map((label) => kms.ensureKey(label, "ECC_NIST_P256").arn);
  calls = [];
});

const call = (target: string, body: object) => kms.handle(`TrentService.${target}`, body).body;

function open(theirs = ids) {
  const served = kmsRequestHandler(kms);
  const client = new KMSClient({
    region: "us-east-1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
    requestHandler: {
      async handle(request: Parameters<typeof served.handle>[0]) {
        calls.push(String(request.headers["x-amz-target"]));
        return served.handle(request);
      },
    },
    maxAttempts: 1,
  });
  return importKeysOf(client, theirs);
}

const spkiOfKey = (KeyId = "") =>
  Buffer.from((call("GetPublicKey", { KeyId }) as { PublicKey: string }).PublicKey, "base64");

describe("importKeysOf", () => {
  it("reads the keys once, and returns the newest first", async () => {
    const read = open();
    expect((await read()).map(({ keyId }) => keyId)).toEqual(
      ids.toReversed().map((id) => keyIdOf(spkiOfKey(id))),
    );
    await read();
    expect(calls).toHaveLength(2);
  });

  it("computes the same shared secret as the other key pair", async () => {
    const [key] = await open()();
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const point = pointIn(publicKey.export({ format: "der", type: "spki" }));
    const ours = createPublicKey({
      key: Buffer.from(spkiOf(key?.point ?? point)),
      format: "der",
      type: "spki",
    });
    expect(await key?.agree(point)).toEqual(Uint8Array.from(diffieHellman({ privateKey, publicKey: ours })));
  });

  it("skips a disabled key until it is enabled again", async () => {
    const read = open();
    call("DisableKey", { KeyId: ids[1] });
    expect((await read()).map(({ keyId }) => keyId)).toEqual([keyIdOf(spkiOfKey(ids[0]))]);
    call("EnableKey", { KeyId: ids[1] });
    expect(await read()).toHaveLength(2);
  });

  it("skips a deleted key that is still configured", async () => {
    const deleted = "00000000-0000-0000-0000-000000000000";
    const read = open([...ids.slice(0, 1), deleted]);
    expect((await read()).map(({ keyId }) => keyId)).toEqual([keyIdOf(spkiOfKey(ids[0]))]);
  });

  it("throws if a key does not support key agreement", async () => {
    const symmetric = kms.ensureKey("symmetric").arn;
    await expect(open([symmetric])()).rejects.toMatchObject({ name: "UnsupportedOperationException" });
  });
});

describe("listImportKeys", () => {
  it("shows each key with its suite and its point, the newest first", async () => {
    const shown = await listImportKeys(open());
    expect(shown).toEqual(
      ids.toReversed().map((id) => ({
        keyId: keyIdOf(spkiOfKey(id)),
        kem: "DHKEM(P-256, HKDF-SHA256)",
        kdf: "HKDF-SHA256",
        aead: "AES-256-GCM",
        publicKey: Buffer.from(pointIn(spkiOfKey(id))).toString("base64url"),
      })),
    );
  });
});
