import { createECDH, type ECDH, randomBytes } from "node:crypto";
import * as independent from "hpke";
import { describe, expect, it } from "vitest";
import {
  NotForThisKey,
  openMessage,
  type RemoteKey,
  type SealedMessage,
  sealMessage,
} from "../../../lib/wallets/keys/hpke.ts";

const hex = (text: string) => Uint8Array.from(Buffer.from(text, "hex"));

/**
 * Test vector that RFC 9180 refers to (cfrg/draft-irtf-cfrg-hpke, 5f503c5, test-vectors.json): mode 0, kem_id 16,
 * kdf_id 1, aead_id 2, with its first encryption.
 */
const vector = {
  info: hex("4f6465206f6e2061204772656369616e2055726e"),
  skRm: hex("317f915db7bc629c48fe765587897e01e282d3e8445f79f27f65d031a88082b2"),
  pkRm: hex(
    "04abc7e49a4c6b3566d77d0304addc6ed0e98512ffccf505e6a8e3eb25c685136f853148544876de76c0f2ef99cdc3a05ccf5ded7860c7c021238f9e2073d2356c",
  ),
  enc: hex(
    "04c06b4f6bebc7bb495cb797ab753f911aff80aefb86fd8b6fcc35525f3ab5f03e0b21bd31a86c6048af3cb2d98e0d3bf01da5cc4c39ff5370d331a4f1f7d5a4e0",
  ),
  pt: hex("4265617574792069732074727574682c20747275746820626561757479"),
  aad: hex("436f756e742d30"),
  ct: hex("58c61a45059d0c5704560e9d88b564a8b63f1364b8d1fcb3c4c6ddc1d291742465e902cd216f8908da49f8f96f"),
};

const suite = new independent.CipherSuite(
  independent.KEM_DHKEM_P256_HKDF_SHA256,
  independent.KDF_HKDF_SHA256,
  independent.AEAD_AES_256_GCM,
);

const pairOf = (privateKey: Uint8Array): ECDH => {
  const pair = createECDH("prime256v1");
  pair.setPrivateKey(privateKey);
  return pair;
};

/** Simulates KMS, and records the secrets that it returns. */
function remoteKey(pair: ECDH): RemoteKey & { given: Uint8Array[] } {
  const given: Uint8Array[] = [];
  return {
    given,
    point: Uint8Array.from(pair.getPublicKey()),
    agree: async (point) => {
      const secret = Uint8Array.from(pair.computeSecret(point));
      given.push(secret);
      return secret;
    },
  };
}

const newPair = () => {
  const pair = createECDH("prime256v1");
  pair.generateKeys();
  return pair;
};

const changed = (bytes: Uint8Array, at: number) =>
  bytes.map((byte, index) => (index === at ? byte ^ 1 : byte));

describe("openMessage", () => {
  it("opens the message of RFC 9180's test vector", async () => {
    const { skRm, pkRm, pt, ct: ciphertext, ...rest } = vector;
    const key = remoteKey(pairOf(skRm));
    expect(key.point).toEqual(pkRm);
    expect(await openMessage(key, { ...rest, ciphertext })).toEqual(pt);
  });

  it("opens a message that an independent implementation sealed", async () => {
    const pair = newPair();
    const key = remoteKey(pair);
    const [info, aad] = [randomBytes(100), randomBytes(9)];
    const publicKey = await suite.DeserializePublicKey(key.point);
    for (const length of [0, 32, 64]) {
      const plaintext = Uint8Array.from(randomBytes(length));
      const sealed = await suite.Seal(publicKey, plaintext, { info, aad });
      const message = { enc: sealed.encapsulatedSecret, ciphertext: sealed.ciphertext, info, aad };
      expect(await openMessage(key, message)).toEqual(plaintext);
    }
  });

  it("rejects a different key, info, additional data or sender, and a changed or missing bit", async () => {
    const { skRm, pkRm: _, pt: __, ct: ciphertext, ...rest } = vector;
    const key = remoteKey(pairOf(skRm));
    const message: SealedMessage = { ...rest, ciphertext };
    const { enc } = await sealMessage(key.point, vector.pt, vector.info);
    const wrong: Partial<SealedMessage>[] = [
      { info: changed(vector.info, 0) },
      { info: new Uint8Array() },
      { aad: changed(vector.aad, 6) },
      { aad: new Uint8Array() },
      { enc },
      ...[0, 20, ciphertext.length - 1].map((at) => ({ ciphertext: changed(ciphertext, at) })),
      ...[0, 15, 16, ciphertext.length - 1].map((end) => ({ ciphertext: ciphertext.slice(0, end) })),
      { ciphertext: Uint8Array.of(...ciphertext, 0) },
    ];
    for (const part of wrong)
      await expect(openMessage(key, { ...message, ...part })).rejects.toThrow(NotForThisKey);
    await expect(openMessage(remoteKey(newPair()), message)).rejects.toThrow(NotForThisKey);
    const otherPoint = { ...key, point: remoteKey(newPair()).point };
    await expect(openMessage(otherPoint, message)).rejects.toThrow(NotForThisKey);
  });

  it("wipes the shared secret, even if opening fails", async () => {
    const { skRm, pkRm: _, pt: __, ct: ciphertext, ...rest } = vector;
    const key = remoteKey(pairOf(skRm));
    await openMessage(key, { ...rest, ciphertext });
    await expect(openMessage(key, { ...rest, aad: rest.info, ciphertext })).rejects.toThrow(NotForThisKey);
    expect(key.given).toEqual([new Uint8Array(32), new Uint8Array(32)]);
  });

  it("reports why the key could not be used", async () => {
    const { skRm, ct: ciphertext, enc, info, aad } = vector;
    const error = new Error("KMS is down");
    const key = { ...remoteKey(pairOf(skRm)), agree: () => Promise.reject(error) };
    await expect(openMessage(key, { enc, info, aad, ciphertext })).rejects.toBe(error);
    const short = { ...key, agree: () => Promise.resolve(new Uint8Array(31)) };
    await expect(openMessage(short, { enc, info, aad, ciphertext })).rejects.toThrow("not a coordinate");
  });
});

describe("sealMessage", () => {
  it("seals a message that an independent implementation opens, with a new key each time", async () => {
    const { publicKey, privateKey } = await suite.GenerateKeyPair();
    const point = await suite.SerializePublicKey(publicKey);
    const [info, plaintext] = [randomBytes(50), Uint8Array.from(randomBytes(64))];
    const sealed = await Promise.all([1, 2].map(() => sealMessage(point, plaintext, info)));
    for (const { enc, ciphertext } of sealed) {
      expect(enc).toHaveLength(65);
      expect(await suite.Open(privateKey, enc, ciphertext, { info })).toEqual(plaintext);
    }
    expect(sealed[0]?.enc).not.toEqual(sealed[1]?.enc);
    expect(sealed[0]?.ciphertext).not.toEqual(sealed[1]?.ciphertext);
  });

  it("leaves the plaintext for the caller to wipe", async () => {
    const plaintext = vector.pt.slice();
    await sealMessage(vector.pkRm, plaintext, vector.info);
    expect(plaintext).toEqual(vector.pt);
  });
});
