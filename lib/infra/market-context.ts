import * as v from "valibot";
import { mostChannelShards } from "../realtime/channel-shards.ts";
import { json, wholeWithin } from "./context-values.ts";

/** AWS's own default in most regions. New accounts may have 10. */
const defaultConcurrentRuns = 1000;

/**
 * Below this limit, long runs could leave too few for requests: both readers of the chains, the feed of prices, and a run
 * of deliver for each shard.
 */
const enoughRuns = 50;

export const defaultChannelShards = 4;

/** The keys of the context about the markets of tokens, and about the functions that follow them. */
export const marketContext = {
  markets: v.optional(json(v.boolean("must be true or false"))),
  concurrentRuns: v.optional(json(wholeWithin(1, 1_000_000)), defaultConcurrentRuns),
  channelShards: v.optional(json(wholeWithin(1, mostChannelShards))),
};

type Runs = { concurrentRuns: number };

/** Markets are read where chains trade, unless the context says otherwise or few functions can run. */
export const marketsOf = ({
  trading,
  markets,
  concurrentRuns,
}: Runs & { trading: readonly unknown[]; markets: boolean | undefined }): boolean =>
  trading.length > 0 && (markets ?? concurrentRuns >= enoughRuns);

/** The shards of the subscribers where the context does not say. */
export const channelShardsOf = ({ concurrentRuns }: Runs): number =>
  concurrentRuns < enoughRuns ? 1 : defaultChannelShards;

/** Lists the effects of a limit at which functions may have to wait for each other. */
export const marketWarnings = ({ concurrentRuns, markets }: Runs & { markets: boolean }): string[] =>
  concurrentRuns >= enoughRuns
    ? []
    : [
        `Context concurrentRuns is ${concurrentRuns}: below ${enoughRuns}, long runs may keep requests from running${markets ? ", and context markets adds to them" : "; markets of tokens are off"}. Ask AWS for a higher limit of concurrent runs`,
      ];
