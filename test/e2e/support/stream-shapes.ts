import { expect } from "vitest";
import { evmSettings, solanaSettings, text, timestamp } from "./shapes.ts";

/** Shapes of messages from the service, for `toStrictEqual`. */
type Id = { id?: string | number };

export const subscriptions = (channels: string[], id: Id = {}) => ({
  type: "subscriptions",
  ...id,
  channels,
  time: timestamp,
});

export const pong = (id: Id = {}) => ({ type: "pong", ...id, time: timestamp });

export const error = (code: string, id: Id = {}) => ({ type: "error", ...id, code, message: text });

export const snapshot = (channel: string, data: unknown = expect.any(Array)) => ({
  type: "snapshot",
  channel,
  time: timestamp,
  data,
});

export const update = (channel: string, data: unknown) => ({
  type: "update",
  channel,
  time: timestamp,
  data,
});

/** Matches all settings of a chain, with any values. */
export const settingsShape = { eth: evmSettings, base: evmSettings, sol: solanaSettings };

export const settingsUpdated = (chain: string, version: number, settings: unknown) => ({
  type: "TradingSettingsUpdated",
  time: timestamp,
  data: { chain, version, settings },
});

const decimal: string = expect.stringMatching(/^\d+(\.\d+)?$/);

/** Matches the price of a chain's native asset. */
const price = (chain: string, symbol: string, source: string) => ({
  chain,
  symbol,
  price: decimal,
  currency: "USD",
  source,
  asOf: timestamp,
});

/** Matches one price for each chain, in the order of the networks. */
export const pricesFrom = (source: string) => [
  price("eth", "ETH", source),
  price("base", "ETH", source),
  price("sol", "SOL", source),
  price("bsc", "BNB", source),
  price("avax", "AVAX", source),
];
