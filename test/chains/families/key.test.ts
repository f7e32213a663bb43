import { generateKeyPairSync } from "node:crypto";
import bs58 from "bs58";
import { Wallet } from "ethers";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { privateKeyOf, readPrivateKey } from "../../../lib/chains/families/key.ts";
import { generateKey } from "../../../lib/wallets/keys/generate-key.ts";
import { evmVectors, solanaVectors } from "../../support/keys.ts";

/** Order of secp256k1's group, from SEC 2. Private keys are smaller. */
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const hex = (key: bigint) => key.toString(16).padStart(64, "0");
const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });

/** An Ed25519 key pair made by OpenSSL, independently of the code under test. */
function ed25519Pair() {
  const { d, x } = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" });
  return { seed: Buffer.from(d as string, "base64url"), publicKey: Buffer.from(x as string, "base64url") };
}

const errorFor = (network: "eth" | "sol", text: string) =>
  readPrivateKey(network, text).then(
    () => expect.fail("the key was accepted"),
    (error) => error,
  );

describe("readPrivateKey for an EVM network", () => {
  it.each(evmVectors)("reads the key %s, and derives the address %s", async (key, address) => {
    for (const text of [key, key.toUpperCase(), `0x${key}`, `0x${key.toUpperCase()}`])
      expect((await readPrivateKey("eth", text)).address).toBe(address);
  });

  it("derives the same address with and without 0x, in upper and lower case, on every EVM network", async () => {
    await fc.assert(
      fc.asyncProperty(fc.bigInt({ min: 1n, max: order - 1n }), async (key) => {
        const { address } = new Wallet(`0x${hex(key)}`);
        for (const text of [hex(key), `0x${hex(key)}`, hex(key).toUpperCase()]) {
          for (const network of ["eth", "base", "bsc", "avax"] as const) {
            const read = await readPrivateKey(network, text);
            expect(read.address).toBe(address);
            expect(Buffer.from(read.secret).toString("hex")).toBe(hex(key));
          }
        }
      }),
      { numRuns: 20 },
    );
  });

  it.each([
    ["zero", hex(0n)],
    ["the order of the curve", hex(order)],
    ["above the order", hex(order + 1n)],
    ["all ones", "f".repeat(64)],
    ["a digit short", "1".repeat(63)],
    ["a digit long", "1".repeat(65)],
    ["a compressed public key", `02${"1".repeat(64)}`],
    ["an uncompressed public key", `04${"1".repeat(128)}`],
    ["an address", "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf"],
    ["not hex", "g".repeat(64)],
    ["ended by a NUL byte", `${"1".repeat(63)}\0`],
    ["surrounded by space", ` ${"1".repeat(64)}\n`],
    ["empty", ""],
    ["only 0x", "0x"],
    ["twice 0x", `0x0x${"1".repeat(64)}`],
    ["a Solana key", bs58.encode(Buffer.alloc(64, 7))],
    ["a megabyte", "1".repeat(1 << 20)],
  ])("rejects a key that is %s", async (_, text) => {
    expect(await errorFor("eth", text)).toMatchObject({
      code: "INVALID_PRIVATE_KEY",
      message: expect.stringContaining("Invalid EVM private key format"),
    });
  });
});

describe("readPrivateKey for Solana", () => {
  it.each(solanaVectors)(
    "derives from the seed %s the address %s, which is its public key",
    async (seed, publicKey) => {
      const text = bs58.encode(Buffer.from(seed + publicKey, "hex"));
      const key = await readPrivateKey("sol", text);
      expect(key.address).toBe(bs58.encode(Buffer.from(publicKey, "hex")));
      expect(Buffer.from(key.secret).toString("hex")).toBe(seed);
      const alone = await readPrivateKey("sol", bs58.encode(Buffer.from(seed, "hex")));
      expect(alone.address).toBe(key.address);
    },
  );

  it("reads a 64-byte key and its seed as the same key, unless the 32-byte seed could be an address", async () => {
    let accepted = 0;
    for (let run = 0; run < 40; run++) {
      const { seed, publicKey } = ed25519Pair();
      const whole = await readPrivateKey("sol", bs58.encode(Buffer.concat([seed, publicKey])));
      expect(whole.address).toBe(bs58.encode(publicKey));
      const alone = await readPrivateKey("sol", bs58.encode(seed)).catch((error) => error);
      if (alone instanceof Error) {
        expect(alone.message).toContain("may be a public address");
      } else {
        accepted++;
        expect([alone.address, alone.secret]).toEqual([whole.address, whole.secret]);
      }
    }
    expect(accepted).toBeGreaterThan(0);
  });

  it("rejects every address as a key", async () => {
    for (let run = 0; run < 40; run++) {
      const { message } = await errorFor("sol", bs58.encode(ed25519Pair().publicKey));
      expect(message).toContain("may be a public address");
    }
  });

  it("rejects a key whose halves do not match", async () => {
    const text = bs58.encode(Buffer.concat([ed25519Pair().seed, ed25519Pair().publicKey]));
    expect((await errorFor("sol", text)).message).toContain("does not match");
  });

  it.each([
    ["not base58 (0)", `0${"2".repeat(86)}`],
    ["not base58 (O)", `O${"2".repeat(86)}`],
    ["not base58 (I)", `I${"2".repeat(86)}`],
    ["not base58 (l)", `l${"2".repeat(86)}`],
    ["63 bytes", bs58.encode(Buffer.alloc(63, 7))],
    ["65 bytes", bs58.encode(Buffer.alloc(65, 7))],
    ["31 bytes", bs58.encode(Buffer.alloc(31, 7))],
    ["33 bytes", bs58.encode(Buffer.alloc(33, 7))],
    ["64 zero bytes", bs58.encode(Buffer.alloc(64))],
    ["a JSON array", JSON.stringify([...Buffer.alloc(64, 7)])],
    ["an EVM key", `0x${"1".repeat(64)}`],
    ["a NUL byte", "\0"],
    ["empty", ""],
    ["a megabyte", "2".repeat(1 << 20)],
  ])("rejects a key that is %s", async (_, text) => {
    expect(await errorFor("sol", text)).toMatchObject({
      code: "INVALID_PRIVATE_KEY",
      message: expect.stringContaining("Invalid Solana private key format"),
    });
  });
});

describe("readPrivateKey", () => {
  it("wipes the secret when the key is disposed of", async () => {
    let secret: Uint8Array;
    {
      using key = await readPrivateKey("eth", "1".repeat(64));
      secret = key.secret;
      expect(secret.some((byte) => byte !== 0)).toBe(true);
    }
    expect(secret.every((byte) => byte === 0)).toBe(true);
  });

  it("never quotes any part of the key in its errors", async () => {
    await fc.assert(
      fc.asyncProperty(bytes32, fc.constantFrom("eth" as const, "sol" as const), async (bytes, network) => {
        const text = network === "eth" ? bs58.encode(bytes) : Buffer.from(bytes).toString("hex");
        const error = await errorFor(network, text);
        expect(JSON.stringify([error.message, error.cause ?? null])).not.toContain(text.slice(0, 6));
      }),
    );
  });
});

describe("privateKeyOf", () => {
  it("reads a key from bytes like one from text", async () => {
    for (const [key, address] of evmVectors) {
      using read = await privateKeyOf("base", Buffer.from(key, "hex"));
      expect(read.address).toBe(address);
      expect(Buffer.from(read.secret).toString("hex")).toBe(key);
    }
    for (const [seed, publicKey] of solanaVectors) {
      using read = await privateKeyOf("sol", Buffer.from(seed + publicKey, "hex"));
      expect(read.address).toBe(bs58.encode(Buffer.from(publicKey, "hex")));
      expect(Buffer.from(read.secret).toString("hex")).toBe(seed);
    }
  });

  it("leaves no byte of the key in memory", async () => {
    const { seed, publicKey } = ed25519Pair();
    const given = { eth: Buffer.alloc(32, 1), sol: Buffer.concat([seed, publicKey]) };
    for (const network of ["eth", "sol"] as const) {
      const key = await privateKeyOf(network, given[network]);
      key[Symbol.dispose]();
      expect([...given[network], ...key.secret].every((byte) => byte === 0)).toBe(true);
    }
  });

  it("wipes copies of a key in buffers that libraries have made", async () => {
    const { seed, publicKey } = ed25519Pair();
    const all = new Set<Uint8Array>();
    const Plain = Uint8Array;
    const recording: typeof Uint8Array = new Proxy(Plain, {
      construct(target, args, wanted) {
        const made = Reflect.construct(target, args, wanted === recording ? target : wanted);
        all.add(made);
        return made;
      },
    });
    vi.stubGlobal("Uint8Array", recording);
    const keys = [await privateKeyOf("sol", Buffer.concat([seed, publicKey])), await generateKey("sol")];
    const secrets = keys.map(({ secret }) => Buffer.from(secret));
    for (const key of keys) key[Symbol.dispose]();
    vi.unstubAllGlobals();
    expect(all.size).toBeGreaterThan(2);
    const left = [...all].filter((bytes) => secrets.some((secret) => Buffer.from(bytes).includes(secret)));
    expect(left).toEqual([]);
  });

  it.each([
    ["eth", 0, 31],
    ["eth", 1, 33],
    ["eth", 1, 0],
    ["eth", 0, 32],
    ["eth", 255, 32],
    ["sol", 1, 31],
    ["sol", 1, 65],
    ["sol", 7, 64],
  ] as const)(
    "rejects and wipes bytes that are not a key of %s: byte %d, repeated %d times",
    async (network, byte, length) => {
      const bytes = Buffer.alloc(length, byte);
      await expect(privateKeyOf(network, bytes)).rejects.toMatchObject({ code: "INVALID_PRIVATE_KEY" });
      expect(bytes.every((left) => left === 0)).toBe(true);
    },
  );
});
