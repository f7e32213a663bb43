import type { Family } from "../../chains/families/family.ts";
import type { FamilyReader } from "../../chains/families/open-chains.ts";
import type { CoinPrice } from "../core/coin-series.ts";
import { coinPoolPrice } from "../evm/coin-pool.ts";
import { type EvmMarketPorts, openEvmMarkets } from "../evm/markets.ts";
import type { ChainMarkets } from "../runs/chain-markets.ts";
import { openSolMarkets, type SolMarketPorts } from "../sol/markets.ts";

/** Reads the price of a chain's coin from its pools. Undefined if there is no suitable pool. */
type ReadCoinPrice = () => Promise<CoinPrice | undefined>;

export type MarketPorts = EvmMarketPorts & SolMarketPorts;

type Registry = {
  readonly [F in Family]: {
    open: (reader: FamilyReader<F>, ports: MarketPorts) => ChainMarkets;
    /**
     * Makes the function that reads the coin's price from pools. Absent for families whose coin price comes only from
     * exchanges.
     */
    coinPrice?: (reader: FamilyReader<F>) => ReadCoinPrice;
  };
};

const families: Registry = {
  evm: { open: openEvmMarkets, coinPrice: coinPoolPrice },
  sol: { open: openSolMarkets },
};

/** Opens the markets of a chain for a run of readMarkets. */
export const openMarkets = <F extends Family>(reader: FamilyReader<F>, ports: MarketPorts): ChainMarkets =>
  families[reader.family].open(reader, ports);

export const coinPriceBy = <F extends Family>(reader: FamilyReader<F>): ReadCoinPrice | undefined =>
  families[reader.family].coinPrice?.(reader);
