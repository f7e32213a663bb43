import type { Family } from "../../chains/families/family.ts";
import type { ChainReader, FamilyReader } from "../../chains/families/open-chains.ts";
import { tokenNotFound } from "../../orders/requests.ts";
import { type FindPools, type Market, marketNow } from "../core/market.ts";
import { openEvmFinder } from "../evm/pools.ts";
import { openSolFinder } from "../sol/find-tokens.ts";

type Registry = { readonly [F in Family]: (reader: FamilyReader<F>) => FindPools };

const openers: Registry = { evm: openEvmFinder, sol: openSolFinder };

const openFinder = <F extends Family>(reader: FamilyReader<F>): FindPools => openers[reader.family](reader);

/** Remembers found pools for as long as the chain's reader is used. */
const finders = new WeakMap<ChainReader, FindPools>();

/**
 * Reads the market of a token from one host, without the figures of the last day.
 *
 * @param last The reference pool that a reader has stored lately.
 * @throws {DomainError} TOKEN_NOT_FOUND
 * @throws {ChainUnavailable} if no host answers.
 */
export async function readMarketOnce(
  reader: ChainReader,
  token: string,
  now = new Date(),
  last?: string,
): Promise<Market> {
  const { chain } = reader;
  const find = finders.get(reader) ?? openFinder(reader);
  finders.set(reader, find);
  const found = await find(token, now.getTime(), last);
  if (found === undefined) throw tokenNotFound(chain);
  const isPriced = found.pools.length > 0;
  const asOf = now.toISOString();
  return marketNow(found, {
    revision: 0,
    history: isPriced ? "loading" : "unavailable",
    asOf,
    firstSeenAt: asOf,
  });
}
