import type { ChainReader, Chains } from "../chains/families/open-chains.ts";
import { ChainUnavailable } from "../chains/hosts/host-fault.ts";
import { DomainError } from "../core/domain-error.ts";
import type { Network } from "../core/network.ts";
import { chainFor } from "../orders/requests.ts";
import type { Table } from "../table/table.ts";
import { type NewToken, type NewTokenPool, newTokensIn, type ReadNewPools } from "./core/new-tokens.ts";
import { endPoolTurn, readNewTokens, takePoolTurn, writeNewTokens } from "./items/new-tokens.ts";

export type NewTokensDeps = {
  table: Table;
  chains: Chains;
  /** Returns the function that reads a chain's new pools. Undefined if the chain has no events of new pools. */
  newPoolsOf: (reader: ChainReader) => ReadNewPools | undefined;
};

/** A token with a new pool in a response. */
export type NewTokenView = Omit<NewToken, "pool" | "flags"> & {
  chain: ChainReader["chain"];
  flags: NewToken["flags"][number][];
  pool: string;
  venue: NewTokenPool["venue"];
  madeAt: string;
  isConfirmed: boolean;
};

export type NewTokensView = {
  tokens: NewTokenView[];
  /** Time since which pools are known. Absent before any block has been read. */
  since?: string;
  /** Time of the newest block that was read. */
  asOf?: string;
};

/** Maximum number of tokens in a response. */
const mostShown = 100;

/**
 * Lists the tokens of a chain with pools of the last day, the newest first. A request that gets the turn reads some more
 * blocks first, so the chain is read only while somebody asks.
 *
 * @throws {DomainError} UNSUPPORTED_CHAIN, INVALID_REQUEST
 */
export async function listNewTokens(
  { table, chains, newPoolsOf }: NewTokensDeps,
  { chain: asked, now }: { chain: Network; now: Date },
): Promise<NewTokensView> {
  const reader = chainFor(chains, asked);
  const { chain } = reader;
  const readNewPools = newPoolsOf(reader);
  if (readNewPools === undefined)
    throw new DomainError(
      "INVALID_REQUEST",
      `chain must be an EVM chain: new pools of ${chain} are not read`,
      {
        field: "chain",
      },
    );
  const epoch = await takePoolTurn(table, chain, now);
  let known = await readNewTokens(table, chain);
  if (epoch !== undefined) {
    try {
      known = await readNewPools(known, now.getTime());
      await writeNewTokens(table, chain, known, { epoch, now });
    } catch (error) {
      // Shows what is known while no host answers: `asOf` tells its age.
      if (!(error instanceof ChainUnavailable)) throw error;
    } finally {
      await endPoolTurn(table, chain, { epoch, startedAt: now });
    }
  }
  if (known === undefined) return { tokens: [] };
  const { since, readAt } = known;
  return {
    tokens: newTokensIn(known, Math.floor(now.getTime() / 1000))
      .slice(0, mostShown)
      .map((token) => viewOf(chain, token)),
    ...(readAt > 0 && { since: timeOf(since), asOf: timeOf(readAt) }),
  };
}

const timeOf = (seconds: number) => new Date(seconds * 1000).toISOString();

function viewOf(chain: ChainReader["chain"], { pool, flags, ...token }: NewToken): NewTokenView {
  const { pool: address, venue, time, isConfirmed } = pool;
  return {
    chain,
    ...token,
    flags: [...flags],
    pool: address,
    venue,
    madeAt: timeOf(time),
    isConfirmed,
  };
}
