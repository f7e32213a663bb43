import { expect } from "vitest";

/** Matches a UTC time in ISO 8601. */
export const timestamp: string = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/);

export const text: string = expect.stringMatching(/\S/);

const number: number = expect.any(Number);
const flag: boolean = expect.any(Boolean);
const oneOf = (...names: string[]): string => expect.stringMatching(new RegExp(`^(${names.join("|")})$`));

/** Compare these shapes with `toStrictEqual`, so that an extra field fails like a missing one. */
export const walletShape = {
  _id: text,
  UserID: text,
  generatedWalletAddress: text,
  slotName: text,
  colortag: text,
  network: oneOf("eth", "base", "sol", "bsc", "avax"),
  walletType: oneOf("generated", "imported"),
  createdAt: timestamp,
};

export const evmSettings = {
  slippage: number,
  gasPreset: oneOf("slow", "medium", "fast", "turbo"),
  maxGasPrice: number,
  mevProtection: flag,
  autoBuy: flag,
  autoSell: flag,
};

export const solanaSettings = {
  slippage: number,
  priorityFee: number,
  mevProtection: flag,
  autoBuy: flag,
  autoSell: flag,
};

const recordFields = { _id: text, userID: text, createdAt: timestamp, updatedAt: timestamp };

export const settingsRecords = {
  eth: { ...recordFields, ...evmSettings },
  base: { ...recordFields, ...evmSettings },
  sol: { ...recordFields, ...solanaSettings },
};

export const profileShape = {
  _id: text,
  userID: text,
  username: text,
  tier: text,
  Level: number,
  refID: text,
  Xp: { total: number, daily: number, weekly: number, monthly: number },
  usersReferred: number,
  xpRemainingForNextLevel: number,
  tradeStreakCount: number,
  xpMultiplier: number,
  Ranked: flag,
  viewedMessage: flag,
  lastVisited: timestamp,
  tradingSettings: {
    ethereum: evmSettings,
    solana: { slippage: number, priorityFee: number },
    base: evmSettings,
  },
};

export const rewardShape = {
  id: text,
  name: text,
  description: text,
  type: oneOf("access", "credits", "education", "merchandise"),
  cost: number,
  available: flag,
  imageUrl: expect.stringMatching(/^https?:\/\/\S+$/),
  userCanAfford: flag,
  stock: number,
};
