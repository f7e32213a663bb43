import bs58 from "bs58";
import { computeAddress } from "ethers";
import { describe, expect, it } from "vitest";
import { evmDerivations } from "../../../lib/chains/evm/key.ts";
import { readPrivateKey } from "../../../lib/chains/families/key.ts";
import { solDerivations } from "../../../lib/chains/sol/key.ts";
import { networks } from "../../../lib/core/network.ts";
import { generateKey } from "../../../lib/wallets/keys/generate-key.ts";

const bytes = (fill: (index: number) => number) => Uint8Array.from({ length: 32 }, (_, index) => fill(index));

/** Secrets with the lowest and the highest values, with leading zeros, and some in between. */
const secrets = [
  bytes((index) => (index === 31 ? 1 : 0)),
  bytes((index) => (index === 31 ? 255 : 0)),
  bytes((index) => index),
  bytes(() => 0x7f),
  Buffer.from("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140", "hex"),
];

describe("generateKey", () => {
  it.each(networks)("creates a key of %s that an import reads as the same wallet", async (network) => {
    using key = await generateKey(network);
    expect(key.secret).toHaveLength(32);
    const pair = () => Buffer.concat([key.secret, bs58.decode(key.address)]);
    const text = network === "sol" ? bs58.encode(pair()) : Buffer.from(key.secret).toString("hex");
    using read = await readPrivateKey(network, text);
    expect([read.address, Buffer.from(read.secret)]).toEqual([key.address, Buffer.from(key.secret)]);
  });

  it("creates a different key each time", async () => {
    const keys = await Promise.all(Array.from({ length: 20 }, () => generateKey("eth")));
    expect(new Set(keys.map(({ address }) => address)).size).toBe(20);
  });

  it("throws if two libraries compute different addresses, and wipes the secret", async () => {
    const seen: Uint8Array[] = [];
    const derivations = [
      (secret: Uint8Array) => {
        seen.push(secret);
        return "0x1";
      },
      () => "0x2",
    ] as const;
    await expect(generateKey("eth", derivations)).rejects.toThrow("different addresses");
    expect(seen).toEqual([Buffer.alloc(32)]);
  });
});

describe("the derivations", () => {
  it.each(secrets)("derives the same address from %s for EVM networks", async (secret) => {
    const expected = computeAddress(`0x${Buffer.from(secret).toString("hex")}`);
    expect(await Promise.all(evmDerivations.map((derive) => derive(secret)))).toEqual([expected, expected]);
  });

  it.each(secrets)("derives the same address from %s for Solana", async (secret) => {
    const [first, second] = await Promise.all(solDerivations.map((derive) => derive(secret)));
    expect(second).toBe(first);
  });

  it("returns the address of RFC 8032's first test for Solana", async () => {
    const secret = Buffer.from("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60", "hex");
    const publicKey = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
    const expected = bs58.encode(Buffer.from(publicKey, "hex"));
    expect(await Promise.all(solDerivations.map((derive) => derive(secret)))).toEqual([expected, expected]);
  });
});
