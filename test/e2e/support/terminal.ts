import { expect } from "vitest";
import { type Answer, get, post } from "./client.ts";
import type { Key } from "../../support/keys.ts";
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

export type Reward = { id: string; cost: number; userCanAfford: boolean };

export const importWallet = async (
  { token }: User,
  { network, privateKey }: Pick<Key, "network" | "privateKey">,
) => post("/storeWallet_v2", { token, body: { network, privateKey } });

export const changeSettings = async ({ token }: User, chain: string, patch: unknown) =>
  post(`/updateTradingSettings/${chain}`, { token, body: patch });

/** What the service answers when all goes well; anything else fails the test. */
export const walletsOf = async ({ token }: User) => good<Wallet[]>(await get("/listWallets", { token }));
export const profileOf = async ({ token }: User) => good<Profile>(await get("/getUserData", { token }));
export const referralsOf = async ({ token }: User) =>
  good<Referrals>(await get("/getUserData?type=ref", { token }));
export const rewardsOf = async ({ token }: User) =>
  good<{ data: { rewards: Reward[] } }>(await get("/api/waitlist/v2/rewards", { token })).data.rewards;
export const settingsAfter = async (user: User, chain: string, patch: unknown) =>
  good<Settings>(await changeSettings(user, chain, patch));

/** Imports wallets one after the other, so that their order is known. */
export async function importAll(user: User, keys: readonly Key[]): Promise<void> {
  for (const key of keys) good(await importWallet(user, key));
}

function good<Body>({ status, text, json }: Answer): Body {
  expect(status, text).toBe(200);
  return json as Body;
}

/** What of a user's an action may not change. */
const kept = {
  wallets: walletsOf,
  settings: async (user: User) => (await profileOf(user)).tradingSettings,
};

/** Runs the action, and sees to it that these things of the user's are afterwards what they were before. */
export async function keeping(
  what: keyof typeof kept,
  user: User,
  act: () => Promise<Answer>,
): Promise<Answer> {
  const before = await kept[what](user);
  const answer = await act();
  expect(await kept[what](user)).toStrictEqual(before);
  return answer;
}
