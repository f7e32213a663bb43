import * as v from "valibot";
import { tradingChains } from "../core/chain-facts.ts";
import { mostChannelShards } from "../realtime/channel-shards.ts";
import { json, wholeWithin } from "./context-values.ts";

/** Limit that AWS sets in most regions. New accounts may have 10. */
const defaultConcurrentRuns = 1000;

/**
 * Lowest limit of concurrent runs that leaves enough for requests besides the long runs: both readers of the chains,
 * the price feed, and a run of deliver for each shard.
 */
export const enoughRuns = 50;

export const defaultChannelShards = 4;

/**
 * Maximum number of tokens that are read on a chain, without the listed and held ones. One call asks for the pools of
 * all of them, and hosts limit the gas of a call.
 */
const mostMarketTokens = 500;

/** Keys of the context about the markets of tokens, and about the functions that follow them. */
export const marketContext = {
  markets: v.optional(json(v.boolean("must be true or false"))),
  marketTokens: v.optional(
    json(
      v.record(
        v.picklist(
          tradingChains,
          ({ received }) => `is not a chain: ${received}. The chains are ${tradingChains.join(", ")}`,
        ),
        wholeWithin(1, mostMarketTokens),
        "must be an object of chains",
      ),
    ),
    {},
  ),
  concurrentRuns: v.optional(json(wholeWithin(1, 1_000_000)), defaultConcurrentRuns),
  channelShards: v.optional(json(wholeWithin(1, mostChannelShards))),
};

type Runs = { concurrentRuns: number };

/** Decides whether markets are read. By default, they are read if chains trade and enough functions can run. */
export const marketsOf = ({
  trading,
  markets,
  concurrentRuns,
}: Runs & { trading: readonly unknown[]; markets: boolean | undefined }): boolean =>
  trading.length > 0 && (markets ?? concurrentRuns >= enoughRuns);

/** Number of the subscribers' shards if the context does not set it. */
export const channelShardsOf = ({ concurrentRuns }: Runs): number =>
  concurrentRuns < enoughRuns ? 1 : defaultChannelShards;

/** Warns of a low limit, at which functions may have to wait for each other. */
export const marketWarnings = ({ concurrentRuns, markets }: Runs & { markets: boolean }): string[] =>
  concurrentRuns >= enoughRuns
    ? []
    : [
        `Context concurrentRuns is ${concurrentRuns}: below ${enoughRuns}, long runs may keep requests from running${markets ? ", and context markets adds to them" : "; markets of tokens are off"}. Ask AWS for a higher limit of concurrent runs`,
      ];
