import bs58 from "bs58";
import { Wallet } from "ethers";
import {
  ambiguousSeed,
  base58OfHex,
  curveOrder,
  evmNetworks,
  hexOf,
  newEvmKey,
  newSolanaKey,
} from "../support/keys.ts";
import { type Case, casesOf, type Table } from "./sample.ts";

/**
 * A body of POST /storeWallet_v2 that is answered with 400 and a message. Objects are sent as JSON, text is sent
 * unchanged.
 */
export type BadImport = Case & { body: unknown; message: RegExp };

const evm = newEvmKey();
const digits = evm.privateKey.slice(2);
const { publicKey, compressedPublicKey } = new Wallet(evm.privateKey).signingKey;

const solana = newSolanaKey();
const bytes = Buffer.from(bs58.decode(solana.privateKey));
const otherHalf = Buffer.from(bs58.decode(newSolanaKey().privateKey)).subarray(32);

/** Hex digits that are also valid base58. */
const hexWithoutZero = digits.replaceAll("0", "1");
const twelveWords = "abandon ".repeat(11).concat("about");

/** Secrets that must appear in no response to a bad import. */
export const importSecrets: readonly string[] = [
  digits,
  [...evm.secret].join(","),
  solana.privateKey,
  solana.secret.toString("hex"),
];

const evmKeys: Table<string> = {
  "an EVM key may not be empty": [
    ["nothing", ""],
    ["only a prefix", "0x"],
  ],
  "an EVM key has 64 digits, not fewer": [
    ["a digit too few", digits.slice(1)],
    ["a digit too few after a prefix", `0x${digits.slice(1)}`],
    ["a byte too few", digits.slice(2)],
  ],
  "an EVM key has 64 digits, not more": [
    ["a digit too many", `${digits}0`],
    ["a byte too many", `${digits}00`],
    ["twice the length", digits + digits],
    ["100,000 digits", digits.repeat(1_600)],
  ],
  "an EVM key has one prefix at most": [
    ["two prefixes", `0x0x${digits}`],
    ["a sign in front", `-${digits.slice(1)}`],
  ],
  "an EVM key is hex": [
    ["a letter that is not a digit", `g${digits.slice(1)}`],
    ["fullwidth digits", `\uFF11${digits.slice(1)}`],
    ["base64", evm.secret.toString("base64")],
    ["twelve words", twelveWords],
    ["the word null", "null"],
  ],
  "an EVM key has no white space": [
    ["a space in front", ` ${digits}`],
    ["a line break at the end", `${digits}\n`],
    ["a space inside", `${digits.slice(0, 32)} ${digits.slice(32)}`],
  ],
  "an EVM key has no NUL byte": [
    ["a NUL byte inside", `${digits.slice(0, 32)}\0${digits.slice(33)}`],
    ["a NUL byte at the end", `${digits}\0`],
  ],
  "an EVM key is below the order of the curve": [
    ["the order of the curve", hexOf(curveOrder)],
    ["one more than the order of the curve", `0x${hexOf(curveOrder + 1n)}`],
    ["the largest number of 32 bytes", "f".repeat(64)],
  ],
  "an EVM key is not zero": [
    ["zero", "0".repeat(64)],
    ["zero after a prefix", `0x${"0".repeat(64)}`],
  ],
  "an EVM key is not public": [
    ["an address", evm.address],
    ["a compressed public key", compressedPublicKey],
    ["a public key", publicKey],
    ["a public key without its first byte", `0x${publicKey.slice(4)}`],
  ],
  "an EVM key is not of Solana": [
    ["a Solana key", solana.privateKey],
    ["a Solana address", solana.address],
    ["a Solana seed in base58", bs58.encode(solana.secret)],
  ],
};

const solanaKeys: Table<string> = {
  "a Solana key may not be empty": [["nothing", ""]],
  "a Solana key is base58": [
    ["a 0", `0${solana.privateKey.slice(1)}`],
    ["an O", `O${solana.privateKey.slice(1)}`],
    ["an I", `I${solana.privateKey.slice(1)}`],
    ["an l", `l${solana.privateKey.slice(1)}`],
    ["a letter of another alphabet", `\u0410${solana.privateKey.slice(1)}`],
    ["twelve words", twelveWords],
  ],
  "a Solana key has no white space or NUL byte": [
    ["a space in front", ` ${solana.privateKey}`],
    ["a line break at the end", `${solana.privateKey}\n`],
    ["a NUL byte at the end", `${solana.privateKey}\0`],
  ],
  "a Solana key is not public": [
    ["an address", solana.address],
    ["a seed that may be an address", base58OfHex(ambiguousSeed)],
    ["the address of the system program", "1".repeat(32)],
  ],
  "a Solana key has 32 or 64 bytes": [
    ["31 bytes", bs58.encode(bytes.subarray(0, 31))],
    ["33 bytes", bs58.encode(bytes.subarray(0, 33))],
    ["63 bytes", bs58.encode(bytes.subarray(0, 63))],
    ["65 bytes", bs58.encode(Buffer.concat([bytes, Buffer.from([1])]))],
    ["65 bytes that begin with zero", `1${solana.privateKey}`],
    ["100,000 digits", solana.privateKey.repeat(1_150)],
    ["1 MB of ones", "1".repeat(1_000_000)],
  ],
  "the halves of a Solana key belong together": [
    ["halves of different keys", bs58.encode(Buffer.concat([bytes.subarray(0, 32), otherHalf]))],
    ["halves in the wrong order", bs58.encode(Buffer.concat([bytes.subarray(32), bytes.subarray(0, 32)]))],
    ["the address twice", bs58.encode(Buffer.concat([bytes.subarray(32), bytes.subarray(32)]))],
    ["64 bytes of zero", "1".repeat(64)],
  ],
  "a Solana key is in no other encoding": [
    ["the bytes as a list, as the Solana tools write them", JSON.stringify([...bytes])],
    ["hex", bytes.toString("hex")],
    ["the seed in hex", solana.secret.toString("hex")],
    ["base64", bytes.toString("base64")],
  ],
  "a Solana key is not of an EVM network": [
    ["an EVM key", evm.privateKey],
    ["an EVM key without its prefix", digits],
    ["an EVM key that is base58 too", hexWithoutZero],
    ["an EVM address", evm.address],
  ],
};

const networks: Table<unknown> = {
  "a network is required": [
    ["an absent network", undefined],
    ["null for a network", null],
    ["an empty network", ""],
  ],
  "a network is one of five names": [
    ["an unknown network", "btc"],
    ["a network in upper case", "ETH"],
    ["a network in mixed case", "Sol"],
    ["a network written out", "ethereum"],
    ["Solana written out", "solana"],
    ["a network with spaces around it", " eth "],
    ["two networks", "eth,sol"],
    ["a network that ends with a NUL byte", "eth\0"],
    ["a name that every object knows", "toString"],
    ["the name of the prototype", "__proto__"],
  ],
  "a network is a string": [
    ["a list for a network", ["eth"]],
    ["an object for a network", { eth: true }],
    ["a number for a network", 1],
    ["true for a network", true],
  ],
  "a network is never repeated, for it may be a key": [
    ["the private key for a network", evm.privateKey],
    ["the private key without its prefix for a network", digits],
  ],
};

const keyTypes: Table<unknown> = {
  "a private key is required": [
    ["an absent key", undefined],
    ["null for a key", null],
  ],
  "a private key is a string": [
    ["a number for a key", 1],
    ["a number too large for any", Number.MAX_VALUE],
    ["true for a key", true],
    ["a list for a key", [evm.privateKey]],
    ["a list of bytes for a key", [...evm.secret]],
    ["an object for a key", { key: evm.privateKey }],
    ["a buffer, as Node writes it, for a key", evm.secret.toJSON()],
  ],
};

/** JSON in forms that `JSON.stringify` never produces. */
const keyTexts: Table<string> = {
  "a private key is not a number that overflows": [
    ["1e400 for a key", "1e400"],
    ["-1e400 for a key", "-1e400"],
    ["1e-400 for a key", "1e-400"],
  ],
  "a private key is not nested": [
    ["lists 100,000 deep for a key", `${"[".repeat(100_000)}${"]".repeat(100_000)}`],
  ],
};

const invalidEvmKey = /invalid evm private key format/i;
const invalidSolanaKey = /invalid solana private key format/i;
/** Matches a message with all five names, in any order. */
const namesNetworks = /network(?=.*\beth\b)(?=.*\bbase\b)(?=.*\bsol\b)(?=.*\bbsc\b)(?=.*\bavax\b)/;

export const badImports: readonly BadImport[] = [
  ...casesOf(evmKeys).map(({ value, ...rest }) => ({
    ...rest,
    body: { network: "eth", privateKey: value },
    message: invalidEvmKey,
  })),
  ...evmNetworks.flatMap((network) =>
    casesOf({
      [`${network} takes EVM keys only`]: [
        ["a Solana key", solana.privateKey],
        ["a digit too few", digits.slice(1)],
        ["the order of the curve", hexOf(curveOrder)],
      ],
    }).map(({ value, rule, title }) => ({
      rule,
      title: `${title} for ${network}`,
      body: { network, privateKey: value },
      message: invalidEvmKey,
    })),
  ),
  ...casesOf(solanaKeys).map(({ value, rule, title }) => ({
    rule,
    title: `${title} for sol`,
    body: { network: "sol", privateKey: value },
    message: invalidSolanaKey,
  })),
  ...casesOf(networks).map(({ value, ...rest }) => ({
    ...rest,
    body: { network: value, privateKey: evm.privateKey },
    message: namesNetworks,
  })),
  {
    rule: "the network is checked before the key",
    title: "an unknown network and a bad key",
    body: { network: "btc", privateKey: "?" },
    message: namesNetworks,
  },
  ...casesOf(keyTypes).map(({ value, ...rest }) => ({
    ...rest,
    body: { network: "eth", privateKey: value },
    message: /privateKey/,
  })),
  ...casesOf(keyTexts).map(({ value, ...rest }) => ({
    ...rest,
    body: `{"network":"eth","privateKey":${value}}`,
    message: /privateKey/,
  })),
];
