import { isMeantAsAddress, readAddress } from "../chains/families/address.ts";
import type { ChainReader, Chains } from "../chains/families/open-chains.ts";
import { ChainUnavailable } from "../chains/hosts/host-fault.ts";
import { type TradingChain, tradingChains } from "../core/chain-facts.ts";
import { DomainError } from "../core/domain-error.ts";
import type { Network } from "../core/network.ts";
import type { Book } from "../orders/book.ts";
import { chainFor } from "../orders/requests.ts";
import { getItems } from "../table/batch-get.ts";
import type { Table } from "../table/table.ts";
import { bookKey } from "../trading/items/keys.ts";
import { listTokens, type Token } from "../trading/list-tokens.ts";
import type { TokenName } from "./core/market.ts";
import {
  assessing,
  type FoundToken,
  type IndexedToken,
  readSearch,
  type SearchedToken,
  searchTokens,
} from "./core/token-search.ts";
import { countLook } from "./items/look-count.ts";
import { readMarketsOf } from "./items/market-items.ts";
import { tooManyLooks } from "./market-token.ts";
import { openPositions } from "./open-positions.ts";

type Identity = Pick<SearchedToken, "symbol" | "name" | "decimals">;

export type SearchDeps = {
  table: Table;
  chains: Chains;
  /** Reads the tokens of a chain whose markets have been read. */
  indexOf: (chain: TradingChain) => Promise<readonly IndexedToken[]>;
  /** Reads the tokens of a chain that have pools of the last day, the newest first. */
  madeOn: (chain: TradingChain) => Promise<readonly SearchedToken[]>;
  /**
   * Asks one host to identify a token.
   *
   * @throws {DomainError} TOKEN_NOT_FOUND
   * @throws {ChainUnavailable}
   */
  identify: (reader: ChainReader, token: string) => Promise<Identity>;
};

type Asked = { userID: string; now: Date; query: string; chain?: Network | undefined };

/**
 * Finds tokens by part of their symbol or name, or by their exact address, on one chain or on all chains on which this
 * deployment trades.
 *
 * @throws {DomainError} UNSUPPORTED_CHAIN, INVALID_REQUEST, LOOK_LIMIT_REACHED
 * @throws {ChainUnavailable} if the text is an address and no chain can be asked about it.
 */
export async function findTokens(deps: SearchDeps, asked: Asked): Promise<{ tokens: Token[] }> {
  const { userID, now, query, chain } = asked;
  const readers = chain === undefined ? [...deps.chains.values()] : [chainFor(deps.chains, chain)];
  const search = readSearch(query);
  if ("problem" in search) throw invalid(search.problem);
  // Lists the tokens of all chains, because a token can imitate a token of any chain.
  const { tokens: listed } = listTokens(deps.chains);
  const addressed = addressedIn(query.trim(), readers);
  if (addressed.length > 0) {
    const found = await tokensAt(deps, { userID, now, listed }, addressed);
    return { tokens: found.map(assessing(listed)).map(shown) };
  }
  const names = readers.map((reader) => reader.chain);
  const isWanted = (token: TokenName) => names.includes(token.chain);
  const [own, others, made] = await Promise.all([
    ownTokens(deps.table, userID),
    Promise.all(names.map(deps.indexOf)),
    Promise.all(names.map(deps.madeOn)),
  ]);
  const known = others.flat();
  const found = searchTokens(
    search.wanted,
    {
      listed,
      own: own.filter(isWanted).map((token) => known.find(isSame(token)) ?? token),
      others: known,
      made: made.flat(),
    },
    now.getTime(),
  );
  return { tokens: found.filter(isWanted).map(shown) };
}

const invalid = (problem: string) =>
  new DomainError("INVALID_REQUEST", `query ${problem}`, { field: "query" });

const isSame = (one: TokenName) => (other: TokenName) =>
  one.chain === other.chain && one.token === other.token;

const shown = ({ isListed, isImitation, isNew, ...token }: FoundToken): Token => ({
  ...token,
  listed: isListed,
  flags: [...(isImitation ? (["IMPERSONATES"] as const) : []), ...(isNew ? (["NEW"] as const) : [])],
});

type Addressed = { reader: ChainReader; token: string };

/**
 * Returns the tokens whose address the text may be. Empty if the text is a name.
 *
 * @throws {DomainError} INVALID_REQUEST if the address has a wrong checksum.
 */
function addressedIn(text: string, readers: readonly ChainReader[]): Addressed[] {
  return readers
    .filter(({ chain }) => isMeantAsAddress(chain, text))
    .map((reader) => ({ reader, token: readAddress(reader.chain, text, "query") }));
}

/** Finds tokens by their addresses: listed tokens, tokens with a stored market, or tokens known to a host. */
async function tokensAt(
  { table, identify }: SearchDeps,
  { userID, now, listed }: { userID: string; now: Date; listed: readonly SearchedToken[] },
  addressed: readonly Addressed[],
): Promise<SearchedToken[]> {
  const names = addressed.map(({ reader, token }) => ({ chain: reader.chain, token }));
  const stored = await readMarketsOf(table, names);
  const faults: Error[] = [];
  const lookUp = async ({ reader, token }: Addressed): Promise<SearchedToken[]> => {
    const name = { chain: reader.chain, token };
    const known = listed.find(isSame(name)) ?? stored.find(isSame(name));
    if (known !== undefined) return [known];
    try {
      if (!(await countLook(table, userID, now))) throw tooManyLooks();
      const { symbol, name: longName, decimals } = await identify(reader, token);
      return [{ ...name, symbol, name: longName, decimals }];
    } catch (error) {
      if (error instanceof DomainError && error.code === "TOKEN_NOT_FOUND") return [];
      if (!(error instanceof DomainError || error instanceof ChainUnavailable)) throw error;
      faults.push(error);
      return [];
    }
  };
  const found = (await Promise.all(addressed.map(lookUp))).flat();
  // Throws, because the token may exist on the chain that failed.
  if (found.length === 0 && faults.length > 0) throw faults[0];
  return found;
}

/** Lists the tokens of a user's newest open positions, as named in the positions' fills. */
async function ownTokens(table: Table, userID: string): Promise<SearchedToken[]> {
  const positions = await openPositions(table, userID);
  const keys = new Map(
    positions.flatMap(({ chain, wallet, token }) => {
      if (token === undefined) return [];
      const key = bookKey({ userID, chain, wallet, token });
      return [[key.SK, key] as const];
    }),
  );
  const books = await getItems<Book>(table, [...keys.values()]);
  return books.flatMap(({ chain: network, token, symbol: pair, baseSymbol = pair, decimals }) => {
    const chain = tradingChains.find((each) => each === network);
    return chain === undefined ? [] : [{ chain, token, symbol: baseSymbol, name: baseSymbol, decimals }];
  });
}
