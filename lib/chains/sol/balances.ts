import type { Address } from "@solana/web3.js";
import { chainFacts } from "../../core/chain-facts.ts";
import { inPartsOf } from "../../core/in-parts.ts";
import { identityIn, listedTokens } from "../../orders/requests.ts";
import {
  type BalanceToken,
  balanceIn,
  type ChainBalances,
  type WalletTokens,
} from "../../orders/token-family.ts";
import { nativeToken } from "../../orders/trading-chain.ts";
import { askTogether } from "../hosts/ask-together.ts";
import { type Mint, readMint } from "./calls/mint.ts";
import { accountsCall, final, mostAccounts, rentCall } from "./calls/rpc-call.ts";
import { mostTokens, type TokenKey, type WalletView, walletViewCall } from "./calls/token-balances.ts";
import { claimsOfMint, metadataOf, readMetadata } from "./calls/token-claims.ts";
import type { SolReader } from "./venues/reader.ts";

/** Number of accounts that are read for a mint: the mint itself, and the account that holds its name. */
const mintsInPart = mostAccounts / 2;

/** A token as users see it, with the program of its mint. */
type Found = BalanceToken & { program: string };

/**
 * Reads the balances of wallets in two rounds of requests: first the mints, whose programs determine the addresses of
 * the wallets' accounts, and then these accounts.
 */
export async function solBalances(
  reader: SolReader,
  wanted: readonly WalletTokens[],
): Promise<ChainBalances> {
  const { configuration, client } = reader;
  const listed = listedTokens(configuration).map(({ token }) => token);
  const mints = [...new Set([...listed, ...wanted.flatMap(({ others }) => others)])];
  const { rent, ...first } = await askTogether(client.read, {
    rent: rentCall(0, final),
    looks: await Promise.all(inPartsOf(mintsInPart, mints).map(lookCall)),
  });
  const tokens = new Map(
    mints.flatMap((token, index) => {
      const found = first.looks[Math.floor(index / mintsInPart)]?.found[index % mintsInPart];
      const identity = found && identityIn(reader, token, found.claims);
      return identity ? [[token, { ...identity, program: found.mint.program }] as const] : [];
    }),
  );
  const tokensOf = ({ others }: WalletTokens) =>
    [...listed, ...others].flatMap((token) => tokens.get(token) ?? []);
  const { views } = await askTogether(client.read, {
    views: await Promise.all(wanted.map((each) => viewCalls(each.wallet, tokensOf(each)))),
  });
  const slots = [...first.looks, ...views.flat()].map(({ slot }) => slot);
  const coin: BalanceToken = {
    token: nativeToken,
    symbol: chainFacts.sol.coin.symbol,
    decimals: chainFacts.sol.coin.decimals,
  };
  return {
    // Reports the oldest slot, because each balance is at least as recent.
    block: Math.min(...slots),
    balances: wanted.flatMap((each, index) => {
      const parts = (views[index] ?? []) as readonly WalletView[];
      const own = balanceIn(each.wallet, coin, parts[0]?.lamports);
      return [
        ...own.map((balance) => ({ ...balance, kept: rent })),
        ...tokensOf(each).flatMap(({ program: _, token, symbol, decimals }) => {
          const units = parts.find((part) => part.units.has(token))?.units.get(token);
          return balanceIn(each.wallet, { token, symbol, decimals }, units);
        }),
      ];
    }),
  };
}

/** Makes the call that reads mints and their names. */
async function lookCall(mints: readonly string[]) {
  const names = await Promise.all(mints.map((mint) => metadataOf(mint as Address)));
  const { method, params, read } = accountsCall([...mints, ...names], final);
  return {
    method,
    params,
    read(result: unknown) {
      const { slot, accounts } = read(result);
      const found = mints.map((token, index) => {
        const mint: Mint | undefined = accounts[index] && readMint(accounts[index]);
        const metadata = readMetadata(accounts[mints.length + index], token);
        return mint && { mint, claims: claimsOfMint(mint, metadata) };
      });
      return { slot, found };
    },
  };
}

/**
 * Makes the calls that read a wallet's balances. The first call also reads its coins, even if there are no tokens to
 * read.
 */
const viewCalls = (wallet: string, tokens: readonly Found[]) => {
  const keys = tokens.map(
    ({ token, program }): TokenKey => ({ mint: token as Address, program: program as Address }),
  );
  const parts = keys.length === 0 ? [[]] : inPartsOf(mostTokens, keys);
  return Promise.all(parts.map((part) => walletViewCall(wallet as Address, part, final)));
};
