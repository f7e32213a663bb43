import { describe, expect, test } from "vitest";
import { get, post } from "../support/client.ts";
import { expectMessage, expectNoTraceOf } from "../support/expectations.ts";
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
import { text, timestamp } from "../support/shapes.ts";
import { importAll, importWallet, profileOf, walletsOf } from "../support/terminal.ts";
import { newUser } from "../support/users.ts";

describe("An import", () => {
  test.each(["eth", "base", "sol", "bsc", "avax"])(
    "to %s says that the wallet was stored, and lists it",
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

  test("gives each wallet an id of its own", async () => {
    const [first, second] = [await newUser(), await newUser()];
    const key = newEvmKey();

    await importAll(first, [key, newSolanaKey()]);
    await importAll(second, [key]);

    const ids = [...(await walletsOf(first)), ...(await walletsOf(second))].map(({ _id }) => _id);
    expect(new Set(ids).size).toBe(3);
  });
});

const spellings: [title: string, of: (hex: string) => string][] = [
  ["with 0x", (hex) => `0x${hex}`],
  ["without 0x", (hex) => hex],
  ["in upper case", (hex) => hex.toUpperCase()],
  ["in upper case with 0x", (hex) => `0x${hex.toUpperCase()}`],
];

describe.each(spellings)("An EVM key in hex %s", (_, spell) => {
  test.each(evmVectors)("%s has the address %s", async (hex, address) => {
    const user = await newUser();

    const answer = await importWallet(user, { network: "eth", privateKey: spell(hex) });

    expectMessage(answer, 200);
    expectNoTraceOf(hex, answer);
    expect((await walletsOf(user)).map((wallet) => wallet.generatedWalletAddress)).toEqual([address]);
  });
});

describe.each(solanaVectors)("The Solana key of the seed %s", (seed, publicKey) => {
  test.each([
    ["seed and public key", base58OfHex(seed, publicKey)],
    ["the seed alone", base58OfHex(seed)],
  ])("given as %s has the address of its public key", async (_, privateKey) => {
    const user = await newUser();

    const answer = await importWallet(user, { network: "sol", privateKey });

    expectMessage(answer, 200);
    expectNoTraceOf(privateKey, answer);
    expect(await walletsOf(user)).toMatchObject([{ generatedWalletAddress: base58OfHex(publicKey) }]);
  });
});

describe("The same wallet", () => {
  const hex = newEvmKey().privateKey.slice(2);
  const [[seed, publicKey]] = solanaVectors;

  test.each<[network: string, title: string, first: string, second: string]>([
    ["eth", "the same words", hex, hex],
    ["base", "another prefix", hex, `0x${hex}`],
    ["avax", "another case", hex, hex.toUpperCase()],
    ["sol", "the same words", base58OfHex(seed, publicKey), base58OfHex(seed, publicKey)],
    ["sol", "its seed alone", base58OfHex(seed, publicKey), base58OfHex(seed)],
  ])("imported to %s a second time, in %s, stays one", async (network, _, first, second) => {
    const user = await newUser();
    await importWallet(user, { network, privateKey: first });
    const before = await walletsOf(user);

    const answer = await importWallet(user, { network, privateKey: second });

    expectMessage(answer, 200);
    expect(before).toHaveLength(1);
    expect(await walletsOf(user)).toStrictEqual(before);
  });

  test("on several networks is a wallet on each", async () => {
    const user = await newUser();
    const { privateKey, address } = newEvmKey();

    for (const network of evmNetworks) expectMessage(await importWallet(user, { network, privateKey }), 200);

    const wallets = await walletsOf(user);
    expect(wallets.map(({ network }) => network)).toEqual([...evmNetworks]);
    expect(new Set(wallets.map(({ generatedWalletAddress }) => generatedWalletAddress))).toEqual(
      new Set([address]),
    );
  });

  test("may be another user's too", async () => {
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

describe("A user of tier Base with 10 wallets", () => {
  const tenKeys = (): Key[] => [
    ...Array.from({ length: 8 }, () => newEvmKey()),
    newKey("sol"),
    newKey("avax"),
  ];

  test("gets no further one, and is told the limit and the tier", async () => {
    const user = await newUser();
    await importAll(user, tenKeys());
    const before = await walletsOf(user);
    const key = newEvmKey();

    const answer = await importWallet(user, key);

    expectMessage(answer, 403, /\b10\b.*\bBase\b|\bBase\b.*\b10\b/);
    expectNoTraceOf(key.privateKey, answer);
    expect(before).toHaveLength(10);
    expect(await walletsOf(user)).toStrictEqual(before);
    expect(await profileOf(user)).toMatchObject({ tier: "Base" });
  });

  test("may import one of these again", async () => {
    const user = await newUser();
    const keys = tenKeys();
    await importAll(user, keys);

    for (const key of [keys[0], keys[8], keys[9]] as Key[]) expectMessage(await importWallet(user, key), 200);

    expect(await walletsOf(user)).toHaveLength(10);
  });

  test("gets no further one on another network either, nor the same key there", async () => {
    const user = await newUser();
    const keys = tenKeys();
    await importAll(user, keys);

    expectMessage(await importWallet(user, newSolanaKey()), 403);
    expectMessage(await importWallet(user, { network: "bsc", privateKey: keys[0]?.privateKey ?? "" }), 403);
    expect(await walletsOf(user)).toHaveLength(10);
  });

  test("is told of a bad key before the limit", async () => {
    const user = await newUser();
    await importAll(user, tenKeys());

    expectMessage(await importWallet(user, { network: "eth", privateKey: "1" }), 400);
  });
});

test("imports that failed do not count", async () => {
  const user = await newUser();
  for (let i = 0; i < 12; i++) await importWallet(user, { network: "eth", privateKey: `${i}` });

  await importAll(
    user,
    Array.from({ length: 10 }, () => newEvmKey()),
  );

  expect(await walletsOf(user)).toHaveLength(10);
});

test("of a field that is given twice the last counts, as JSON has it", async () => {
  const user = await newUser();
  const { privateKey } = newEvmKey();
  const body = `{"network":"eth","privateKey":"1","network":"bsc","privateKey":"${privateKey}"}`;

  const answer = await post("/storeWallet_v2", { token: user.token, body });

  expectMessage(answer, 200);
  expect((await walletsOf(user)).map(({ network }) => network)).toEqual(["bsc"]);
});

test("no answer of any operation holds a private key", async () => {
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
