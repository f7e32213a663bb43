import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Binding, decrypt, encrypt, pack, unpack } from "../../lib/aws/container.ts";

const binding: Binding = { userID: "alice", walletId: "w1", network: "eth", address: "0x7E5F" };
const dataKey = randomBytes(32);
const secret = randomBytes(32);

describe("container", () => {
  it("returns the secret that was encrypted", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 64 }),
        fc.uint8Array({ maxLength: 500 }),
        (text, wrappedKey) => {
          const packed = pack({ wrappedKey, body: encrypt(text, dataKey, binding) });
          const opened = unpack(packed);
          expect(new Uint8Array(opened.wrappedKey)).toEqual(wrappedKey);
          expect(new Uint8Array(decrypt(opened.body, dataKey, binding))).toEqual(text);
        },
      ),
    );
  });

  it("encrypts the same secret to different bytes each time", () => {
    const bodies = Array.from({ length: 50 }, () =>
      Buffer.from(encrypt(secret, dataKey, binding)).toString("hex"),
    );
    expect(new Set(bodies).size).toBe(50);
  });

  it("refuses to decrypt after any bit of the body was flipped", () => {
    const body = encrypt(secret, dataKey, binding);
    for (let bit = 0; bit < body.length * 8; bit++) {
      expect(() => decrypt(flipped(body, bit), dataKey, binding), `bit ${bit}`).toThrow();
    }
  });

  it.each(Object.keys(binding) as (keyof Binding)[])("refuses to decrypt for a different %s", (name) => {
    const body = encrypt(secret, dataKey, binding);
    const value = Buffer.from(binding[name]);
    for (let bit = 0; bit < value.length * 7; bit++) {
      const other = flipped(value, bit + Math.floor(bit / 7)).toString();
      expect(() => decrypt(body, dataKey, { ...binding, [name]: other }), other).toThrow();
    }
  });

  it("refuses to decrypt if a character moves from one part of the binding to the next", () => {
    const body = encrypt(secret, dataKey, { ...binding, userID: "ab", walletId: "c" });
    expect(() => decrypt(body, dataKey, { ...binding, userID: "a", walletId: "bc" })).toThrow();
  });

  it("refuses to decrypt with a different data key", () => {
    expect(() => decrypt(encrypt(secret, dataKey, binding), randomBytes(32), binding)).toThrow();
  });

  it("refuses to unpack empty or truncated containers and unknown versions", () => {
    const packed = pack({ wrappedKey: randomBytes(184), body: encrypt(secret, dataKey, binding) });
    for (const length of [0, 1, 2, 3, 100, 3 + 184 + 27]) {
      expect(() => unpack(packed.subarray(0, length)), `${length} bytes`).toThrow();
    }
    expect(() => unpack(Buffer.concat([Buffer.of(2), packed.subarray(1)]))).toThrow("version");
  });
});

function flipped(bytes: Uint8Array, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
  return copy;
}
