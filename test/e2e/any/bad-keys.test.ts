import bs58 from "bs58";
import { Wallet } from "ethers";
import { describe, expect, test } from "vitest";
import { post } from "../support/client.ts";
import { expectMessage, expectNoTraceOf } from "../support/expectations.ts";
import {
  ambiguousSeed,
  base58OfHex,
  curveOrder,
  evmNetworks,
  hexOf,
  newEvmKey,
  newSolanaKey,
} from "../../support/keys.ts";
import { importWallet, keeping } from "../support/terminal.ts";
import { someUser } from "../support/users.ts";

const evm = newEvmKey();
const digits = evm.privateKey.slice(2);
const { publicKey, compressedPublicKey } = new Wallet(evm.privateKey).signingKey;

const solana = newSolanaKey();
const bytes = Buffer.from(bs58.decode(solana.privateKey));
const otherHalf = Buffer.from(bs58.decode(newSolanaKey().privateKey)).subarray(32);

/** Hex digits that happen to be base58 too. */
const hexWithoutZero = digits.replaceAll("0", "1");

describe("An import to eth", () => {
  test.each<[title: string, privateKey: string]>([
    ["nothing", ""],
    ["only a prefix", "0x"],
    ["a digit too few", digits.slice(1)],
    ["a digit too few behind a prefix", `0x${digits.slice(1)}`],
    ["a digit too many", `${digits}0`],
    ["a byte too few", digits.slice(2)],
    ["a byte too many", `${digits}00`],
    ["twice the length", digits + digits],
    ["two prefixes", `0x0x${digits}`],
    ["a letter that is no digit", `g${digits.slice(1)}`],
    ["a space in front", ` ${digits}`],
    ["a line break behind", `${digits}\n`],
    ["a space inside", `${digits.slice(0, 32)} ${digits.slice(32)}`],
    ["a sign in front", `-${digits.slice(1)}`],
    ["a NUL byte inside", `${digits.slice(0, 32)}\0${digits.slice(33)}`],
    ["a NUL byte behind", `${digits}\0`],
    ["digits of full width", `\uFF11${digits.slice(1)}`],
    ["zero", "0".repeat(64)],
    ["zero behind a prefix", `0x${"0".repeat(64)}`],
    ["the order of the curve", hexOf(curveOrder)],
    ["one more than the order of the curve", `0x${hexOf(curveOrder + 1n)}`],
    ["the largest number of 32 bytes", "f".repeat(64)],
    ["an address", evm.address],
    ["a compressed public key", compressedPublicKey],
    ["a public key", publicKey],
    ["a public key without its first byte", `0x${publicKey.slice(4)}`],
    ["a Solana key", solana.privateKey],
    ["a Solana address", solana.address],
    ["a Solana seed in base58", bs58.encode(solana.secret)],
    ["base64", evm.secret.toString("base64")],
    ["twelve words", "abandon ".repeat(11).concat("about")],
    ["the word null", "null"],
    ["100,000 digits", digits.repeat(1_600)],
  ])("refuses %s for a key", async (_, privateKey) => {
    const user = await someUser();

    const answer = await keeping("wallets", user, () => importWallet(user, { network: "eth", privateKey }));

    expectMessage(answer, 400, /invalid evm private key format/i);
    expectNoTraceOf(privateKey, answer);
    expectNoTraceOf(digits, answer);
  });
});

describe.each(evmNetworks)("An import to %s", (network) => {
  test.each<[title: string, privateKey: string]>([
    ["a Solana key", solana.privateKey],
    ["a digit too few", digits.slice(1)],
    ["the order of the curve", hexOf(curveOrder)],
  ])("takes no other keys than any EVM network: not %s", async (_, privateKey) => {
    const user = await someUser();

    const answer = await keeping("wallets", user, () => importWallet(user, { network, privateKey }));

    expectMessage(answer, 400, /invalid evm private key format/i);
    expectNoTraceOf(privateKey, answer);
  });
});

describe("An import to sol", () => {
  test.each<[title: string, privateKey: string]>([
    ["nothing", ""],
    ["a 0", `0${solana.privateKey.slice(1)}`],
    ["an O", `O${solana.privateKey.slice(1)}`],
    ["an I", `I${solana.privateKey.slice(1)}`],
    ["an l", `l${solana.privateKey.slice(1)}`],
    ["a space in front", ` ${solana.privateKey}`],
    ["a line break behind", `${solana.privateKey}\n`],
    ["a NUL byte behind", `${solana.privateKey}\0`],
    ["a letter of another alphabet", `\u0410${solana.privateKey.slice(1)}`],
    ["an address", solana.address],
    ["a seed that may be an address", base58OfHex(ambiguousSeed)],
    ["the address of the system program", "1".repeat(32)],
    ["31 bytes", bs58.encode(bytes.subarray(0, 31))],
    ["33 bytes", bs58.encode(bytes.subarray(0, 33))],
    ["63 bytes", bs58.encode(bytes.subarray(0, 63))],
    ["65 bytes", bs58.encode(Buffer.concat([bytes, Buffer.from([1])]))],
    ["65 bytes that begin with zero", `1${solana.privateKey}`],
    ["64 bytes of zero", "1".repeat(64)],
    ["halves of different keys", bs58.encode(Buffer.concat([bytes.subarray(0, 32), otherHalf]))],
    ["halves in the wrong order", bs58.encode(Buffer.concat([bytes.subarray(32), bytes.subarray(0, 32)]))],
    ["the address twice", bs58.encode(Buffer.concat([bytes.subarray(32), bytes.subarray(32)]))],
    ["the bytes as a list, as the Solana tools write them", JSON.stringify([...bytes])],
    ["hex", bytes.toString("hex")],
    ["the seed in hex", solana.secret.toString("hex")],
    ["base64", bytes.toString("base64")],
    ["an EVM key", evm.privateKey],
    ["an EVM key without its prefix", digits],
    ["an EVM key that is base58 too", hexWithoutZero],
    ["an EVM address", evm.address],
    ["twelve words", "abandon ".repeat(11).concat("about")],
    ["100,000 digits", solana.privateKey.repeat(1_150)],
    ["1 MB of ones", "1".repeat(1_000_000)],
  ])("refuses %s for a key", async (_, privateKey) => {
    const user = await someUser();

    const answer = await keeping("wallets", user, () => importWallet(user, { network: "sol", privateKey }));

    expectMessage(answer, 400, /invalid solana private key format/i);
    expectNoTraceOf(privateKey, answer);
    expectNoTraceOf(solana.privateKey, answer);
    expectNoTraceOf(solana.secret.toString("hex"), answer);
  });
});

describe("An import refuses a network that is", () => {
  test.each<[title: string, network: unknown]>([
    ["absent", undefined],
    ["null", null],
    ["empty", ""],
    ["unknown", "btc"],
    ["in upper case", "ETH"],
    ["in mixed case", "Sol"],
    ["written out", "ethereum"],
    ["written out, for Solana", "solana"],
    ["surrounded by space", " eth "],
    ["two networks", "eth,sol"],
    ["a list", ["eth"]],
    ["an object", { eth: true }],
    ["a number", 1],
    ["true", true],
    ["a name that every object knows", "toString"],
    ["the name of the prototype", "__proto__"],
    ["ended by a NUL byte", "eth\0"],
    ["the private key", evm.privateKey],
    ["the private key without its prefix", digits],
  ])("%s, and names those that there are", async (_, network) => {
    const user = await someUser();
    const body = { network, privateKey: evm.privateKey };

    const answer = await keeping("wallets", user, () => post("/storeWallet_v2", { token: user.token, body }));

    expectMessage(answer, 400, /network/);
    for (const name of ["eth", "base", "sol", "bsc", "avax"])
      expect((answer.json as { message: string }).message).toMatch(new RegExp(`\\b${name}\\b`));
    expectNoTraceOf(evm.privateKey, answer);
  });

  test("unknown before any doubt about the key", async () => {
    const user = await someUser();

    expectMessage(await importWallet(user, { network: "btc", privateKey: "?" }), 400, /network/);
  });
});

describe("An import refuses a private key that is", () => {
  test.each<[title: string, privateKey: unknown]>([
    ["absent", undefined],
    ["null", null],
    ["a number", 1],
    ["a number too large for any", Number.MAX_VALUE],
    ["true", true],
    ["a list", [evm.privateKey]],
    ["a list of bytes", [...evm.secret]],
    ["an object", { key: evm.privateKey }],
    ["a buffer, as Node writes it", evm.secret.toJSON()],
  ])("%s, and names the field", async (_, privateKey) => {
    const user = await someUser();
    const body = { network: "eth", privateKey };

    const answer = await keeping("wallets", user, () => post("/storeWallet_v2", { token: user.token, body }));

    expectMessage(answer, 400, /privateKey/);
    expectNoTraceOf(evm.privateKey, answer);
    expectNoTraceOf([...evm.secret].join(","), answer);
  });

  test.each(["1e400", "-1e400", "1e-400"])("the number %s, and names the field", async (number) => {
    const user = await someUser();
    const body = `{"network":"eth","privateKey":${number}}`;

    const answer = await keeping("wallets", user, () => post("/storeWallet_v2", { token: user.token, body }));

    expectMessage(answer, 400, /privateKey/);
  });

  test("nested 100,000 deep, and names the field", async () => {
    const user = await someUser();
    const body = `{"network":"eth","privateKey":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;

    const answer = await keeping("wallets", user, () => post("/storeWallet_v2", { token: user.token, body }));

    expectMessage(answer, 400, /privateKey/);
  });

  test("told in the address instead of the body", async () => {
    const user = await someUser();
    const path = `/storeWallet_v2?network=eth&privateKey=${evm.privateKey}`;

    const answer = await keeping("wallets", user, () => post(path, { token: user.token, body: {} }));

    expectMessage(answer, 400);
    expectNoTraceOf(evm.privateKey, answer);
  });
});
