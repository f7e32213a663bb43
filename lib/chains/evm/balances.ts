import { coinDecimals } from "../../orders/decimal-text.ts";
import { identityIn, listedTokens } from "../../orders/requests.ts";
import { isWritable } from "../../orders/token-identity.ts";
import { chainFacts, nativeToken } from "../../orders/trading-chain.ts";
import { askTogether } from "../hosts/ask-together.ts";
import { knownBalancesCall, strangeBalancesCall } from "./calls/token-balances.ts";
import type { EvmReader } from "./venues/reader.ts";

/** A wallet, and the tokens to read in addition to the listed ones. */
export type WalletTokens = { wallet: string; others: readonly string[] };

/** What a balance shows of its token. */
export type Known = { token: string; symbol: string; decimals: number };

export type ChainBalance = Known & {
  wallet: string;
  units: bigint;
  /** The units that the wallet cannot spend, since it must keep them to stay alive. */
  kept?: bigint;
};

/**
 * Reads the balances of wallets in one request. Each list starts with the coin, then the listed tokens, then the
 * others. Tokens that do not answer are left out.
 *
 * @throws {ChainUnavailable}
 */
export async function balancesOnChain(
  reader: EvmReader,
  wanted: readonly WalletTokens[],
): Promise<{ block: number; balances: ChainBalance[] }> {
  const { chain, client, configuration } = reader;
  const listed = listedTokens(configuration);
  const tokens = listed.map(({ token }) => token);
  const strangers = [...new Set(wanted.flatMap(({ others }) => others))];
  const walletsOf = (token: string) =>
    wanted.filter(({ others }) => others.includes(token)).map(({ wallet }) => wallet);
  const { known, strange } = await askTogether(client.read, {
    known: knownBalancesCall(
      wanted.map(({ wallet }) => wallet),
      tokens,
      "latest",
    ),
    strange: strangers.map((token) => strangeBalancesCall(token, walletsOf(token), "latest")),
  });
  const identities = new Map(
    strangers.map((token, index) => [
      token,
      identityIn(reader, token, (strange[index] as (typeof strange)[0]).claims),
    ]),
  );
  const coin: Known = {
    token: nativeToken,
    symbol: chainFacts[chain].coin.symbol,
    decimals: coinDecimals[chain],
  };
  const balances = wanted.flatMap(({ wallet, others }) => [
    ...balanceIn(wallet, coin, known.coins(wallet)),
    ...listed.flatMap((each) => balanceIn(wallet, each, known.units(wallet, each.token))),
    ...others.flatMap((token) => {
      const units = strange[strangers.indexOf(token)]?.units.get(wallet);
      return balanceIn(wallet, identities.get(token), units);
    }),
  ]);
  return { block: known.block, balances };
}

/** Returns a balance unless it is unknown, or too long to write. */
export function balanceIn(
  wallet: string,
  known: Known | undefined,
  units: bigint | undefined,
): ChainBalance[] {
  if (known === undefined || units === undefined) return [];
  const { token, symbol, decimals } = known;
  return isWritable(units, decimals) ? [{ wallet, token, symbol, decimals, units }] : [];
}
