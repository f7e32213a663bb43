import { expect, it } from "vitest";
import { newEvmKey, newKey, newSolanaKey } from "../../support/keys.ts";
import { get } from "../support/client.ts";
import { walletShape } from "../support/shapes.ts";
import { importAll, type Wallet, walletsOf } from "../support/terminal.ts";
import { newUser } from "../support/users.ts";

const networks = ["sol", "eth", "avax", "base", "bsc", "sol", "eth", "avax", "base", "bsc"];

const look = ({ _id, slotName, colortag }: Wallet) => ({ _id, slotName, colortag });

it("a new user has no wallets", async () => {
  const user = await newUser();

  expect(await walletsOf(user)).toStrictEqual([]);
  expect((await get("/api/v2/wallets", user)).json).toMatchObject({ success: true, data: { wallets: [] } });
});

it("wallets of all networks are listed in the order of their import", async () => {
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

it("each wallet starts with its own name and colour", async () => {
  const user = await newUser();
  await importAll(user, [newEvmKey(), newSolanaKey(), newEvmKey()]);

  const wallets = await walletsOf(user);

  expect(wallets.map(({ slotName }) => slotName)).toEqual(["Wallet 1", "Wallet 2", "Wallet 3"]);
  expect(new Set(wallets.map(({ colortag }) => colortag)).size).toBe(3);
});

it("names and colours do not change when wallets are added", async () => {
  const user = await newUser();
  await importAll(user, [newEvmKey("avax"), newSolanaKey()]);
  const before = await walletsOf(user);

  await importAll(user, [newEvmKey("base"), newEvmKey("bsc")]);

  expect((await walletsOf(user)).slice(0, 2).map(look)).toEqual(before.map(look));
  expect(await walletsOf(user)).toStrictEqual(await walletsOf(user));
});

it("GET /api/v2/wallets has the wallets of GET /listWallets", async () => {
  const user = await newUser();
  await importAll(user, [newSolanaKey(), newEvmKey(), newEvmKey("bsc")]);

  const { json } = await get("/api/v2/wallets", user);

  expect(json).toMatchObject({ success: true, data: { wallets: await walletsOf(user) } });
});

it("nobody sees the wallets of another user", async () => {
  const [owner, other] = [await newUser(), await newUser()];
  await importAll(owner, [newEvmKey()]);

  const paths = ["/listWallets", `/listWallets?userID=${owner.id}`, `/api/v2/wallets?UserID=${owner.id}`];
  const answers = await Promise.all(paths.map((path) => get(path, other)));

  expect(await walletsOf(other)).toStrictEqual([]);
  for (const { text } of answers) expect(text).not.toContain(owner.id);
});

it("a list right after an import contains the wallet", async () => {
  const user = await newUser();

  for (let count = 1; count <= 10; count++) {
    await importAll(user, [newEvmKey()]);
    expect(await walletsOf(user)).toHaveLength(count);
  }
});
