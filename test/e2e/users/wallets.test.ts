import { expect, test } from "vitest";
import { get } from "../support/client.ts";
import { newEvmKey, newKey, newSolanaKey } from "../../support/keys.ts";
import { walletShape } from "../support/shapes.ts";
import { importAll, type Wallet, walletsOf } from "../support/terminal.ts";
import { newUser } from "../support/users.ts";

const networks = ["sol", "eth", "avax", "base", "bsc", "sol", "eth", "avax", "base", "bsc"];

const look = ({ _id, slotName, colortag }: Wallet) => ({ _id, slotName, colortag });

test("a new user has no wallets", async () => {
  const user = await newUser();

  expect(await walletsOf(user)).toStrictEqual([]);
  expect((await get("/api/v2/wallets", user)).json).toMatchObject({ success: true, data: { wallets: [] } });
});

test("wallets of all networks are listed in the order of their import", async () => {
  const user = await newUser();
  const keys = networks.map(newKey);

  await importAll(user, keys);

  const wallets = await walletsOf(user);
  expect(wallets.map(({ network }) => network)).toEqual(networks);
  expect(wallets.map(({ generatedWalletAddress }) => generatedWalletAddress)).toEqual(
    keys.map(({ address }) => address),
  );
  for (const wallet of wallets) expect(wallet).toStrictEqual(walletShape);
});

test("each wallet has a name and a colour of its own to begin with", async () => {
  const user = await newUser();
  await importAll(user, [newEvmKey(), newSolanaKey(), newEvmKey()]);

  const wallets = await walletsOf(user);

  expect(wallets.map(({ slotName }) => slotName)).toEqual(["Wallet 1", "Wallet 2", "Wallet 3"]);
  expect(new Set(wallets.map(({ colortag }) => colortag)).size).toBe(3);
});

test("names and colours stay when the list is read again, and when wallets join", async () => {
  const user = await newUser();
  await importAll(user, [newEvmKey("avax"), newSolanaKey()]);
  const before = await walletsOf(user);

  await importAll(user, [newEvmKey("base"), newEvmKey("bsc")]);

  expect((await walletsOf(user)).slice(0, 2).map(look)).toEqual(before.map(look));
  expect(await walletsOf(user)).toStrictEqual(await walletsOf(user));
});

test("both lists are the same", async () => {
  const user = await newUser();
  await importAll(user, [newSolanaKey(), newEvmKey(), newEvmKey("bsc")]);

  const { json } = await get("/api/v2/wallets", user);

  expect(json).toMatchObject({ success: true, data: { wallets: await walletsOf(user) } });
});

test("nobody sees the wallets of another", async () => {
  const [owner, other] = [await newUser(), await newUser()];
  await importAll(owner, [newEvmKey()]);

  const paths = ["/listWallets", `/listWallets?userID=${owner.id}`, `/api/v2/wallets?UserID=${owner.id}`];
  const answers = await Promise.all(paths.map((path) => get(path, other)));

  expect(await walletsOf(other)).toStrictEqual([]);
  for (const { text } of answers) expect(text).not.toContain(owner.id);
});

test("a list at once after an import has the wallet", async () => {
  const user = await newUser();

  for (let count = 1; count <= 10; count++) {
    await importAll(user, [newEvmKey()]);
    expect(await walletsOf(user)).toHaveLength(count);
  }
});
