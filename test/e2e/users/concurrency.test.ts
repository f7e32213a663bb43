import { expect, it } from "vitest";
import { newEvmKey, newKey } from "../../support/keys.ts";
import { get } from "../support/client.ts";
import {
  changeSettings,
  importWallet,
  profileOf,
  referralsOf,
  type Settings,
  walletsOf,
} from "../support/terminal.ts";
import { newUser } from "../support/users.ts";

/** Sends many requests at once. */
const atOnce = <Result>(count: number, ask: (index: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => ask(index)));

const countOf = (statuses: number[]): Record<number, number> =>
  Object.fromEntries(
    [...new Set(statuses)].map((status) => [status, statuses.filter((s) => s === status).length]),
  );

it("stores exactly 10 wallets from 25 simultaneous imports of a new user", async () => {
  const user = await newUser();

  const answers = await atOnce(25, (index) => importWallet(user, newKey(index % 2 ? "sol" : "eth")));

  expect(countOf(answers.map(({ status }) => status))).toEqual({ 200: 10, 403: 15 });
  const wallets = await walletsOf(user);
  expect(wallets).toHaveLength(10);
  expect(new Set(wallets.map(({ slotName }) => slotName)).size).toBe(10);
});

it("stores and counts a wallet only once if it is imported 20 times at once", async () => {
  const user = await newUser();
  const key = newEvmKey();

  const answers = await atOnce(20, () => importWallet(user, key));

  expect(countOf(answers.map(({ status }) => status))).toEqual({ 200: 20 });
  expect(await walletsOf(user)).toHaveLength(1);
  for (let i = 0; i < 9; i++) expect(await importWallet(user, newEvmKey())).toMatchObject({ status: 200 });
  expect(await importWallet(user, newEvmKey())).toMatchObject({ status: 403 });
});

it("creates 20 profiles from the simultaneous first requests of 20 users", async () => {
  const users = await atOnce(20, () => newUser());

  const profiles = await Promise.all(users.map(profileOf));

  expect(profiles.map(({ userID }) => userID)).toEqual(users.map(({ id }) => id));
  expect(new Set(profiles.map(({ refID }) => refID)).size).toBe(20);
});

it("keeps all of 34 simultaneous changes to different settings", async () => {
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

it("stores one record with one of the values after 30 simultaneous changes of a setting", async () => {
  const user = await newUser();

  const answers = await atOnce(30, (index) => changeSettings(user, "sol", { slippage: index + 1 }));

  expect(countOf(answers.map(({ status }) => status))).toEqual({ 200: 30 });
  expect(new Set(answers.map(({ json }) => (json as Settings)._id)).size).toBe(1);
  expect(answers.map(({ json }) => (json as Settings).slippage)).toEqual(
    answers.map((_, index) => index + 1),
  );
});

it("serves simultaneous reads and writes", async () => {
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
