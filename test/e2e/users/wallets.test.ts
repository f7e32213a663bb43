import { expect, it } from "vitest";
import { newEvmKey, newKey, newSolanaKey } from "../../support/keys.ts";
import { get } from "../support/client.ts";
import { walletShape } from "../support/shapes.ts";
import { importAll, type Wallet, walletsOf } from "../support/terminal.ts";
import { newUser } from "../support/users.ts";

const networks = ["sol", "eth", "avax", "base", "bsc", "sol", "eth", "avax", "base", "bsc"];

const look = ({ _id, slotName, colortag }: Wallet) => ({ _id, slotName, colortag });

it("lists no wallets for a new user", async () => {
  const user = await newUser();

  expect(await walletsOf(user)).toStrictEqual([]);
  expect((await get("/api/v2/wallets", user)).json).toMatchObject({ success: true, data: { wallets: [] } });
});

it("lists the wallets of all networks in the order of their import", async () => {
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

it("gives each new wallet its own name and colour", async () => {
  const user = await newUser();
  await importAll(user, [newEvmKey(), newSolanaKey(), newEvmKey()]);

  const wallets = await walletsOf(user);

  expect(wallets.map(({ slotName }) => slotName)).toEqual(["Wallet 1", "Wallet 2", "Wallet 3"]);
  expect(new Set(wallets.map(({ colortag }) => colortag)).size).toBe(3);
});

it("keeps names and colours when wallets are added", async () => {
  const user = await newUser();
  await importAll(user, [newEvmKey("avax"), newSolanaKey()]);
  const before = await walletsOf(user);

  await importAll(user, [newEvmKey("base"), newEvmKey("bsc")]);

  expect((await walletsOf(user)).slice(0, 2).map(look)).toEqual(before.map(look));
  expect(await walletsOf(user)).toStrictEqual(await walletsOf(user));
});

it("lists the same wallets in GET /api/v2/wallets and GET /listWallets", async () => {
  const user = await newUser();
  await importAll(user, [newSolanaKey(), newEvmKey(), newEvmKey("bsc")]);

  const { json } = await get("/api/v2/wallets", user);

  expect(json).toMatchObject({ success: true, data: { wallets: await walletsOf(user) } });
});

it("hides wallets from other users", async () => {
  const [owner, other] = [await newUser(), await newUser()];
  await importAll(owner, [newEvmKey()]);

  const paths = ["/listWallets", `/listWallets?userID=${owner.id}`, `/api/v2/wallets?UserID=${owner.id}`];
  const answers = await Promise.all(paths.map((path) => get(path, other)));

  expect(await walletsOf(other)).toStrictEqual([]);
  for (const { text } of answers) expect(text).not.toContain(owner.id);
});

it("lists a wallet right after its import", async () => {
  const user = await newUser();

  for (let count = 1; count <= 10; count++) {
    await importAll(user, [newEvmKey()]);
    expect(await walletsOf(user)).toHaveLength(count);
  }
});
