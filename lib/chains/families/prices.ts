import { EvmPrices } from "../evm/quotes/prices.ts";
import type { TokenPrices } from "../hosts/token-prices.ts";
import { SolPrices } from "../sol/quotes/prices.ts";
import type { ChainReader } from "./open-chains.ts";

/** Opens the prices of a chain's tokens for one run about a few orders. */
export const pricesOn = (reader: ChainReader): TokenPrices =>
  reader.family === "evm" ? new EvmPrices(reader) : new SolPrices(reader);
