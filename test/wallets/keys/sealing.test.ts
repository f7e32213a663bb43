import { createECDH, createHash, generateKeyPairSync } from "node:crypto";
import { calculateJwkThumbprint } from "jose";
import { describe, expect, it } from "vitest";
import {
  exportInfo,
  importInfo,
  isPoint,
  keyIdOf,
  type PublicJwk,
  pointIn,
  pointOfJwk,
  spkiOf,
  thumbprintOf,
} from "../../../lib/wallets/keys/sealing.ts";

const generateKey = () => {
  const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return {
    jwk: publicKey.export({ format: "jwk" }) as PublicJwk,
    spki: publicKey.export({ format: "der", type: "spki" }),
  };
};

/** A point, and similar bytes that are not a point. */
const pair = createECDH("prime256v1");
const point = pair.generateKeys();
const changed = (at: number) => point.map((byte, index) => (index === at ? byte ^ 1 : byte));
const noPoints = [
  changed(1),
  changed(64),
  pair.getPublicKey(null, "compressed"),
  pair.getPublicKey(null, "hybrid"),
  Uint8Array.of(0),
  new Uint8Array(65),
  Uint8Array.of(4, ...new Uint8Array(64)),
  point.subarray(0, 64),
  Uint8Array.of(...point, 0),
  new Uint8Array(),
  createECDH("secp256k1").generateKeys(),
];

describe("isPoint", () => {
  it("accepts only uncompressed points of P-256", () => {
    expect(isPoint(point)).toBe(true);
    for (const bytes of noPoints) expect(isPoint(bytes)).toBe(false);
  });
});

describe("pointIn", () => {
  it("finds the point in a public key of P-256, and rejects other keys", () => {
    const { spki } = generateKey();
    expect(spkiOf(pointIn(spki))).toEqual(spki);
    const { publicKey } = generateKeyPairSync("ec", { namedCurve: "secp256k1" });
    const refused = [
      publicKey.export({ format: "der", type: "spki" }),
      spki.subarray(0, 90),
      Buffer.concat([spki, Buffer.of(0)]),
      spkiOf(changed(30)),
    ];
    for (const der of refused) expect(() => pointIn(der)).toThrow("Not a P-256 public key");
  });
});

describe("keyIdOf", () => {
  it("returns the SHA-256 of the public key", () => {
    const { spki } = generateKey();
    expect(keyIdOf(spki)).toBe(createHash("sha256").update(spki).digest("base64url"));
  });
});

describe("importInfo and exportInfo", () => {
  it("names the user by a hash, and joins the parts with NUL", () => {
    // Computed by: printf %s 'auth0|alice' | openssl dgst -sha256 -binary | basenc --base64url
    const user = "SnYaR1L2t0SRhg9Q_H1PqWjpfnAoQngXxc-ZqnwLYp4";
    expect(createHash("sha256").update("auth0|alice").digest("base64url")).toBe(user);
    expect(Buffer.from(importInfo({ network: "eth", keyId: "k1", userID: "auth0|alice" })).toString()).toBe(
      `trading-terminal/wallet-import/1\0eth\0k1\0${user}`,
    );
    expect(
      Buffer.from(exportInfo({ network: "sol", walletId: "w1", userID: "auth0|alice" })).toString(),
    ).toBe(`trading-terminal/wallet-export/1\0sol\0w1\0${user}`);
  });
});

describe("pointOfJwk", () => {
  it("returns the point with these coordinates", () => {
    const { jwk, spki } = generateKey();
    expect(spkiOf(pointOfJwk(jwk))).toEqual(spki);
  });

  it("rejects coordinates that are off the curve or not 32 bytes", () => {
    const { jwk } = generateKey();
    const { jwk: other } = generateKey();
    const zero = Buffer.alloc(32).toString("base64url");
    const long = Buffer.alloc(33).toString("base64url");
    for (const wrong of [{ x: other.x }, { x: zero, y: zero }, { x: "" }, { y: long }, { x: long, y: "" }])
      expect(() => pointOfJwk({ ...jwk, ...wrong })).toThrow("publicKey must be a point of P-256");
  });
});

describe("thumbprintOf", () => {
  it("returns the thumbprint of RFC 7638", async () => {
    const { jwk } = generateKey();
    expect(thumbprintOf(jwk)).toBe(await calculateJwkThumbprint(jwk));
  });
});
