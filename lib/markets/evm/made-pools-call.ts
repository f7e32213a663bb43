import { getAddress } from "ethers/address";
import * as v from "valibot";
import { tagText } from "../../chains/evm/calls/rpc-call.ts";
import type { EvmConfiguration, EvmVenue } from "../../chains/evm/rules/configuration.ts";
import { kindOf, type VenueKind } from "../../chains/evm/rules/swap-venues.ts";
import type { RpcCall } from "../../chains/hosts/rpc-call.ts";
import { type Log, LogsSchema } from "./log.ts";
import type { MadePool, PoolRange } from "./rules/new-pools.ts";

/** An event of a factory: its topics, the words of its data, and which of these words is the pool. */
type FactoryEvent = { topic: string; topics: number; words: number; poolAt: number };

/** Events by the kind of exchange. Pools with bins have no price here, so their factories are not asked. */
const events: Readonly<Partial<Record<VenueKind, FactoryEvent>>> = {
  // PairCreated(address,address,address,uint256)
  v2: {
    topic: "0x0d3648bd0f6ba80134a33ba9275ac585d9d315f0ad8355cddefde31afa28d0e9",
    topics: 3,
    words: 2,
    poolAt: 0,
  },
  // PoolCreated(address,address,uint24,int24,address)
  v3: {
    topic: "0x783cca1c0412dd0d695e784568c96da2e9c22ff989357a2e8b1d9b2b4e6b7118",
    topics: 4,
    words: 2,
    poolAt: 1,
  },
  // PoolCreated(address,address,int24,address)
  slipstream: {
    topic: "0xab0d57f0df537bb25e80245ef7748fa62353808c54d6e528a9dd20887aed9ac2",
    topics: 4,
    words: 1,
    poolAt: 0,
  },
};

/** Reads the address in a word. Undefined if the word has more than an address. */
const addressIn = (word: string): string | undefined =>
  /^0{24}(?!0{40})[\da-f]{40}$/.test(word) ? getAddress(`0x${word.slice(24)}`) : undefined;

/** Undefined for pools whose token has no price in the coin or in a stable token. */
function madePoolIn(
  { wrapped, quoteTokens }: EvmConfiguration,
  { venue }: Pick<EvmVenue, "venue">,
  { topics, data, blockNumber, blockHash, logIndex, blockTimestamp }: Log,
): MadePool | undefined {
  const event = events[kindOf({ venue })];
  if (event === undefined || topics[0] !== event.topic || topics.length !== event.topics)
    throw new Error("A log was not requested");
  if (data.length !== 2 + 64 * event.words) throw new Error("A log has another length");
  const [first, second] = topics.slice(1, 3).map((topic) => addressIn(topic.slice(2)));
  const pool = addressIn(data.slice(2 + 64 * event.poolAt, 66 + 64 * event.poolAt));
  if (first === undefined || second === undefined || pool === undefined)
    throw new Error("A log has no address");
  const others = [wrapped.token, ...quoteTokens.flatMap(({ token, isStable }) => (isStable ? [token] : []))];
  const [isFirst, isSecond] = [others.includes(first), others.includes(second)];
  if (isFirst === isSecond) return undefined;
  const [token, other] = isFirst ? [second, first] : [first, second];
  return {
    pool,
    venue,
    token,
    other,
    block: blockNumber,
    blockHash,
    logIndex,
    time: blockTimestamp,
  };
}

/**
 * Requests the pools that the factories of a chain have made in a range of blocks. A pool's time is 0 if the host does
 * not state it. An answer counts as malformed if it contains anything that was not requested.
 */
export function madePoolsCall(configuration: EvmConfiguration, { from, to }: PoolRange): RpcCall<MadePool[]> {
  const venues = configuration.venues.filter((venue) => events[kindOf(venue)] !== undefined);
  const byFactory = new Map(venues.map((venue) => [venue.factory.toLowerCase(), venue]));
  const topics = [...new Set(venues.flatMap((venue) => events[kindOf(venue)]?.topic ?? []))];
  return {
    method: "eth_getLogs",
    params: [
      { fromBlock: tagText(from), toBlock: tagText(to), address: [...byFactory.keys()], topics: [topics] },
    ],
    mayBeHuge: true,
    needs: "logs",
    read(result) {
      return v.parse(LogsSchema, result).flatMap((log) => {
        const venue = byFactory.get(log.address);
        if (venue === undefined || log.blockNumber < from || log.blockNumber > to)
          throw new Error("A log was not requested");
        return madePoolIn(configuration, venue, log) ?? [];
      });
    },
  };
}
