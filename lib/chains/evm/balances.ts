import { chainFacts } from "../../core/chain-facts.ts";
import { identityIn, listedTokens } from "../../orders/requests.ts";
import {
  type BalanceToken,
  balanceIn,
  type ChainBalances,
  type WalletTokens,
} from "../../orders/token-family.ts";
import { nativeToken } from "../../orders/trading-chain.ts";
import { askTogether } from "../hosts/ask-together.ts";
import { knownBalancesCall, strangeBalancesCall } from "./calls/token-balances.ts";
import type { EvmReader } from "./venues/reader.ts";

/** Reads the balances of several wallets in one request. */
export async function evmBalances(
  reader: EvmReader,
  wanted: readonly WalletTokens[],
): Promise<ChainBalances> {
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
  const coin: BalanceToken = {
    token: nativeToken,
    symbol: chainFacts[chain].coin.symbol,
    decimals: chainFacts[chain].coin.decimals,
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
