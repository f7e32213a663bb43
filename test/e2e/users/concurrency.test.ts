import { expect, test } from "vitest";
import { get } from "../support/client.ts";
import { newEvmKey, newKey } from "../../support/keys.ts";
import {
  changeSettings,
  importWallet,
  type Profile,
  profileOf,
  referralsOf,
  type Settings,
  walletsOf,
} from "../support/terminal.ts";
import { newUser } from "../support/users.ts";

/** Sends so many requests at once. */
const atOnce = <Result>(count: number, ask: (index: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => ask(index)));

const countOf = (statuses: number[]): Record<number, number> =>
  Object.fromEntries(
    [...new Set(statuses)].map((status) => [status, statuses.filter((s) => s === status).length]),
  );

test("of 50 wallets imported at once by a new user, exactly 10 are stored", async () => {
  const user = await newUser();

  const answers = await atOnce(50, (index) => importWallet(user, newKey(index % 2 ? "sol" : "eth")));

  expect(countOf(answers.map(({ status }) => status))).toEqual({ 200: 10, 403: 40 });
  const wallets = await walletsOf(user);
  expect(wallets).toHaveLength(10);
  expect(new Set(wallets.map(({ slotName }) => slotName)).size).toBe(10);
});

test("of 20 wallets imported at once by a user who holds 7, exactly 3 are stored", async () => {
  const user = await newUser();
  for (let i = 0; i < 7; i++) await importWallet(user, newEvmKey());

  const answers = await atOnce(20, () => importWallet(user, newEvmKey("base")));

  expect(countOf(answers.map(({ status }) => status))).toEqual({ 200: 3, 403: 17 });
  expect(await walletsOf(user)).toHaveLength(10);
});

test("a wallet imported 20 times at once is stored once, and counts once", async () => {
  const user = await newUser();
  const key = newEvmKey();

  const answers = await atOnce(20, () => importWallet(user, key));

  expect(countOf(answers.map(({ status }) => status))).toEqual({ 200: 20 });
  expect(await walletsOf(user)).toHaveLength(1);
  for (let i = 0; i < 9; i++) expect(await importWallet(user, newEvmKey())).toMatchObject({ status: 200 });
  expect(await importWallet(user, newEvmKey())).toMatchObject({ status: 403 });
});

test("50 first requests of a new user at once make one profile", async () => {
  const user = await newUser();

  const answers = await atOnce(50, () => get("/getUserData", user));

  expect(countOf(answers.map(({ status }) => status))).toEqual({ 200: 50 });
  const profiles = answers.map(({ json }) => json as Profile);
  expect(new Set(profiles.map(({ refID }) => refID)).size).toBe(1);
  expect(new Set(profiles.map(({ _id }) => _id)).size).toBe(1);
});

test("first requests of 20 new users at once make 20 profiles", async () => {
  const users = await atOnce(20, () => newUser());

  const profiles = await Promise.all(users.map(profileOf));

  expect(profiles.map(({ userID }) => userID)).toEqual(users.map(({ id }) => id));
  expect(new Set(profiles.map(({ refID }) => refID)).size).toBe(20);
});

test("34 changes of different settings at once all survive", async () => {
  const evm = {
    slippage: 2,
    gasPreset: "turbo",
    maxGasPrice: 77,
    mevProtection: false,
    autoBuy: true,
    autoSell: true,
  };
  const solana = { slippage: 3, priorityFee: 0.5, mevProtection: false, autoBuy: true, autoSell: true };
  const wanted: Record<string, Settings> = { eth: evm, base: { ...evm, slippage: 4 }, sol: solana };
  const users = [await newUser(), await newUser()];
  const changes = users.flatMap((user) =>
    Object.entries(wanted).flatMap(([chain, values]) =>
      Object.entries(values).map(([name, value]) => ({ user, chain, patch: { [name]: value } })),
    ),
  );

  const answers = await Promise.all(
    changes.map(async ({ user, chain, patch }) => changeSettings(user, chain, patch)),
  );

  expect(countOf(answers.map(({ status }) => status))).toEqual({ 200: 34 });
  for (const user of users)
    for (const [chain, values] of Object.entries(wanted))
      expect((await changeSettings(user, chain, {})).json).toMatchObject(values);
});

test("of 30 changes of one setting at once, the record is one, and one of them counts", async () => {
  const user = await newUser();

  const answers = await atOnce(30, (index) => changeSettings(user, "sol", { slippage: index + 1 }));

  expect(countOf(answers.map(({ status }) => status))).toEqual({ 200: 30 });
  expect(new Set(answers.map(({ json }) => (json as Settings)._id)).size).toBe(1);
  expect(answers.map(({ json }) => (json as Settings).slippage)).toEqual(
    answers.map((_, index) => index + 1),
  );
});

test("reads and writes at once do not disturb each other", async () => {
  const user = await newUser();
  const key = newEvmKey();

  const answers = await Promise.all([
    importWallet(user, key),
    changeSettings(user, "eth", { slippage: 2 }),
    get("/listWallets", user),
    get("/getUserData", user),
    get("/api/waitlist/v2/rewards", user),
  ]);

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(await walletsOf(user)).toMatchObject([{ generatedWalletAddress: key.address }]);
  expect(await profileOf(user)).toMatchObject({ tradingSettings: { ethereum: { slippage: 2 } } });
  expect(await referralsOf(user)).toMatchObject({ usersReferred: 0 });
});
