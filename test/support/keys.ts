import { generateKeyPairSync, randomBytes } from "node:crypto";
import bs58 from "bs58";
import { computeAddress } from "ethers";

/** A wallet to import: the user's input, the expected address and the secret's 32 bytes. */
export type Key = { network: string; privateKey: string; address: string; secret: Buffer };

export const evmNetworks = ["eth", "base", "bsc", "avax"] as const;

/** Order of the curve secp256k1. */
export const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

export const hexOf = (scalar: bigint): string => scalar.toString(16).padStart(64, "0");

/** All keys created in this process, to search output for traces of them. */
export const keysMade: Key[] = [];

export function newEvmKey(network: string = "eth"): Key {
  const secret = randomBytes(32);
  const privateKey = `0x${secret.toString("hex")}`;
  const key = { network, privateKey, address: computeAddress(privateKey), secret };
  keysMade.push(key);
  return key;
}

/** Creates the public half with Node's Ed25519, independently of the code under test. */
export function newSolanaKey(): Key {
  const { d = "", x = "" } = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" });
  const [secret, publicKey] = [Buffer.from(d, "base64url"), Buffer.from(x, "base64url")];
  const privateKey = bs58.encode(Buffer.concat([secret, publicKey]));
  const key = { network: "sol", privateKey, address: bs58.encode(publicKey), secret };
  keysMade.push(key);
  return key;
}

export const newKey = (network: string): Key => (network === "sol" ? newSolanaKey() : newEvmKey(network));

/** Published EVM private keys with their addresses. The runner prints none of them. */
export const evmVectors = [
  [hexOf(1n), "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf"],
  [hexOf(2n), "0x2B5AD5c4795c026514f8317c7a215E218DcCD6cF"],
  [hexOf(curveOrder - 1n), "0x80C0dbf239224071c59dD8970ab9d542E3414aB2"],
  [
    "59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
    "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  ],
] as const;

/**
 * Seeds and public keys from RFC 8032, section 7.1, tests 1, 2 and 1024. None of these seeds encodes a point of the
 * curve.
 */
export const solanaVectors = [
  [
    "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
    "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
  ],
  [
    "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
    "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
  ],
  [
    "f5e5767cf153319517630f226876b86c8160cc583bc013744c6bf255f5cc0ee5",
    "278117fc144c72340f67d0f2316e8386ceffbf2b2428c9c51fef7c597f1d426e",
  ],
] as const;

/** Seed from test 3 of RFC 8032. It also encodes a point of the curve, so it could be an address. */
export const ambiguousSeed = "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7";

export const base58OfHex = (...hex: string[]): string => bs58.encode(Buffer.from(hex.join(""), "hex"));

/** Returns all forms in which a program might print a key. */
export function formsOf({ privateKey, secret }: Pick<Key, "privateKey" | "secret">): string[] {
  return [
    privateKey.replace(/^0x/, ""),
    secret.toString("hex"),
    bs58.encode(secret),
    secret.toString("base64").replace(/=+$/, ""),
    secret.toString("base64url"),
    [...secret].join(","),
    [...secret].join(", "),
    BigInt(`0x${secret.toString("hex")}`).toString(),
  ];
}
