import { afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  base58OfHex,
  evmNetworks,
  evmVectors,
  type Key,
  newEvmKey,
  newKey,
  newSolanaKey,
  solanaVectors,
} from "../../support/keys.ts";
import { get, post } from "../support/client.ts";
import { expectMessage, expectNoTraceOf } from "../support/expectations.ts";
import { text, timestamp } from "../support/shapes.ts";
import { importAll, importWallet, profileOf, type Wallet, walletsOf } from "../support/terminal.ts";
import { newUser, type User } from "../support/users.ts";

describe("an import", () => {
  it.each(["eth", "base", "sol", "bsc", "avax"])(
    "imports a wallet to %s and then lists it",
    async (network) => {
      const user = await newUser();
      const key = newKey(network);
      const before = Date.now();

      const answer = await importWallet(user, key);

      expectMessage(answer, 200, /stored/i);
      expectNoTraceOf(key.privateKey, answer);
      const wallets = await walletsOf(user);
      expect(wallets).toStrictEqual([
        {
          _id: text,
          UserID: user.id,
          generatedWalletAddress: key.address,
          slotName: text,
          colortag: text,
          network,
          walletType: "imported",
          createdAt: timestamp,
        },
      ]);
      expect(Math.abs(Date.parse(wallets[0]?.createdAt ?? "") - before)).toBeLessThan(60_000);
    },
  );

  it("gives each imported wallet its own id", async () => {
    const [first, second] = [await newUser(), await newUser()];
    const key = newEvmKey();

    await importAll(first, [key, newSolanaKey()]);
    await importAll(second, [key]);

    const ids = [...(await walletsOf(first)), ...(await walletsOf(second))].map(({ _id }) => _id);
    expect(new Set(ids).size).toBe(3);
  });
});

// Uses few keys: tests of lib/wallets/keys cover every published key and random ones, in every spelling.
describe("a published key", () => {
  const [[seed, publicKey]] = solanaVectors;
  const [hex, address] = evmVectors[3];

  it.each([
    ["an EVM key", "eth", `0x${hex.toUpperCase()}`, address],
    ["a Solana key", "sol", base58OfHex(seed, publicKey), base58OfHex(publicKey)],
  ])("derives the published address from %s", async (_, network, privateKey, published) => {
    const user = await newUser();

    const answer = await importWallet(user, { network, privateKey });

    expectMessage(answer, 200);
    expectNoTraceOf(privateKey, answer);
    expect(await walletsOf(user)).toMatchObject([{ generatedWalletAddress: published }]);
  });
});

describe("repeated imports of a wallet", () => {
  const hex = newEvmKey().privateKey.slice(2);
  const [[seed, publicKey]] = solanaVectors;

  it.each<[network: string, title: string, first: string, second: string]>([
    ["eth", "the same words", hex, hex],
    ["base", "another prefix", hex, `0x${hex}`],
    ["avax", "another case", hex, hex.toUpperCase()],
    ["sol", "the same words", base58OfHex(seed, publicKey), base58OfHex(seed, publicKey)],
    ["sol", "its seed alone", base58OfHex(seed, publicKey), base58OfHex(seed)],
  ])(
    "keeps one wallet when it is imported to %s a second time, with %s",
    async (network, _, first, second) => {
      const user = await newUser();
      await importWallet(user, { network, privateKey: first });
      const before = await walletsOf(user);

      const answer = await importWallet(user, { network, privateKey: second });

      expectMessage(answer, 200);
      expect(before).toHaveLength(1);
      expect(await walletsOf(user)).toStrictEqual(before);
    },
  );

  it("creates a wallet on each network to which a key is imported", async () => {
    const user = await newUser();
    const { privateKey, address } = newEvmKey();

    for (const network of evmNetworks) expectMessage(await importWallet(user, { network, privateKey }), 200);

    const wallets = await walletsOf(user);
    expect(wallets.map(({ network }) => network)).toEqual([...evmNetworks]);
    expect(new Set(wallets.map(({ generatedWalletAddress }) => generatedWalletAddress))).toEqual(
      new Set([address]),
    );
  });

  it("lets another user import the same wallet", async () => {
    const [first, second] = [await newUser(), await newUser()];
    const key = newEvmKey();

    await importAll(first, [key]);
    await importAll(second, [key]);

    expect(await walletsOf(first)).toMatchObject([{ UserID: first.id, generatedWalletAddress: key.address }]);
    expect(await walletsOf(second)).toMatchObject([
      { UserID: second.id, generatedWalletAddress: key.address },
    ]);
  });
});

describe("a user of tier Base with 10 wallets", () => {
  const keys: Key[] = [...Array.from({ length: 8 }, () => newEvmKey()), newKey("sol"), newKey("avax")];
  let user: User;
  let before: Wallet[];

  beforeAll(async () => {
    user = await newUser();
    await importAll(user, keys);
    before = await walletsOf(user);
  });
  afterEach(async () => {
    expect(before).toHaveLength(10);
    expect(await walletsOf(user)).toStrictEqual(before);
  });

  it("refuses a wallet over the limit with a 403 that names the limit and the tier", async () => {
    const key = newEvmKey();

    const answer = await importWallet(user, key);

    expectMessage(answer, 403, /\b10\b.*\bBase\b|\bBase\b.*\b10\b/);
    expectNoTraceOf(key.privateKey, answer);
    expect(await profileOf(user)).toMatchObject({ tier: "Base" });
  });

  it("allows a user at the limit to import an existing wallet again", async () => {
    for (const key of [keys[0], keys[8], keys[9]] as Key[]) expectMessage(await importWallet(user, key), 200);
  });

  it("does not let a user at the limit add another network, even for the same key", async () => {
    expectMessage(await importWallet(user, newSolanaKey()), 403);
    expectMessage(await importWallet(user, { network: "bsc", privateKey: keys[0]?.privateKey ?? "" }), 403);
  });

  it("answers a bad key with 400 before checking the limit", async () => {
    expectMessage(await importWallet(user, { network: "eth", privateKey: "1" }), 400);
  });
});

it("leaves failed imports out of the wallet count", async () => {
  const user = await newUser();
  for (let i = 0; i < 12; i++) await importWallet(user, { network: "eth", privateKey: `${i}` });

  await importAll(
    user,
    Array.from({ length: 10 }, () => newEvmKey()),
  );

  expect(await walletsOf(user)).toHaveLength(10);
});

it("refuses a field that is given twice, and stores nothing", async () => {
  const user = await newUser();
  const { privateKey } = newEvmKey();
  const body = `{"network":"eth","privateKey":"1","network":"bsc","privateKey":"${privateKey}"}`;

  const answer = await post("/storeWallet_v2", { token: user.token, body });

  expectMessage(answer, 400, /twice/);
  expect(await walletsOf(user)).toEqual([]);
});

it("includes no private key in the response of any operation", async () => {
  const user = await newUser();
  const keys = [newEvmKey(), newSolanaKey()];
  await importAll(user, keys);

  const paths = [
    "/listWallets",
    "/api/v2/wallets",
    "/getUserData",
    "/getUserData?type=ref",
    "/api/waitlist/v2/rewards",
  ];
  const answers = await Promise.all(paths.map((path) => get(path, user)));

  for (const answer of answers) {
    for (const { privateKey, secret } of keys) {
      expectNoTraceOf(privateKey.replace(/^0x/, ""), answer);
      expectNoTraceOf(secret.toString("hex"), answer);
      expectNoTraceOf(secret.toString("base64"), answer);
    }
    expect(answer.text).not.toMatch(/private_?key|encrypted|cipher/i);
  }
});
