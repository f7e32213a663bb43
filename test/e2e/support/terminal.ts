import { beforeAll, expect, it } from "vitest";
import type { Key } from "../../support/keys.ts";
import { type Answer, get, post } from "./client.ts";
import type { User } from "./users.ts";

export type Wallet = {
  _id: string;
  UserID: string;
  generatedWalletAddress: string;
  slotName: string;
  colortag: string;
  network: string;
  walletType: string;
  createdAt: string;
};

export type Settings = Record<string, unknown>;

export type Profile = Record<string, unknown> & {
  refID: string;
  usersReferred: number;
  username: string;
  lastVisited: string;
  tradingSettings: { ethereum: Settings; solana: Settings; base: Settings };
};

export type Referrals = {
  userID: string;
  username: string;
  refID: string;
  usersReferred: number;
  referredBy: string | null;
  referrals: { username: string; joinedAt: string }[];
};

export type Reward = { id: string; cost: number; userCanAfford: boolean; stock: number };

export const importWallet = async (
  { token }: User,
  { network, privateKey }: Pick<Key, "network" | "privateKey">,
) => post("/storeWallet_v2", { token, body: { network, privateKey } });

export const changeSettings = async (
  { token }: User,
  chain: string,
  patch: unknown,
  headers: Record<string, string> = {},
) => post(`/updateTradingSettings/${chain}`, { token, body: patch, headers });

/** Returns the body of a response with status 200. Any other status fails the test. */
export const walletsOf = async ({ token }: User) => good<Wallet[]>(await get("/listWallets", { token }));
export const profileOf = async ({ token }: User) => good<Profile>(await get("/getUserData", { token }));
export const referralsOf = async ({ token }: User) =>
  good<Referrals>(await get("/getUserData?type=ref", { token }));
export const rewardsOf = async ({ token }: User) =>
  good<{ data: { rewards: Reward[] } }>(await get("/api/waitlist/v2/rewards", { token })).data.rewards;
export const settingsAfter = async (user: User, chain: string, patch: unknown) =>
  good<Settings>(await changeSettings(user, chain, patch));

/** Imports wallets one after another, so that their order is known. */
export async function importAll(user: User, keys: readonly Key[]): Promise<void> {
  for (const key of keys) good(await importWallet(user, key));
}

function good<Body>({ status, text, json }: Answer): Body {
  expect(status, text).toBe(200);
  return json as Body;
}

const data = {
  wallets: walletsOf,
  settings: async (user: User) => (await profileOf(user)).tradingSettings,
};

/** Adds a final test to a group with one user, which checks that the group's tests have not changed this data. */
export function itChangesNo(what: keyof typeof data, user: User): void {
  let before: unknown;
  beforeAll(async () => {
    before = await data[what](user);
  });
  it(`changes no ${what}`, async () => {
    expect(await data[what](user)).toStrictEqual(before);
  });
}
