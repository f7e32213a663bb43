import { setTimeout as pause } from "node:timers/promises";
import type { Address } from "@solana/web3.js";
import { StartupError } from "cdk-local-runner";
import type { LocalMarket } from "../local-market.ts";
import { decimals, type MadeAccount, readAccounts, setAccount } from "./made-accounts.ts";
import { graduatedPool } from "./pump-deployment.ts";
import { curve } from "./pump-layouts.ts";
import { amountAt } from "./pump-parts.ts";
import type { SolDeployment } from "./sol-deployment.ts";
import type { Surfnet } from "./surfnet.ts";

/** Places of a pool's reserves: in its two vaults, or both in the account of a curve. */
type Pool = { name: string } & Record<"coin" | "token", { account: Address; at: number }>;

type Reserves = { coins: bigint; tokens: bigint; accounts: readonly MadeAccount[] };

const coinDecimals = 9;

/** Maximum number of slots that a push may last, because slots pass while accounts are set. */
const mostSlots = 5;

/** Returns the mints of all tokens of the local chain. */
export const mintsOf = ({ tokens, jupiter, pump }: SolDeployment): ReadonlyMap<string, Address> =>
  new Map(
    [tokens, jupiter.pools, pump.curves, pump.pools].flatMap((made) =>
      Object.entries<{ mint: Address }>(made).map(([symbol, { mint }]) => [symbol, mint] as const),
    ),
  );

/**
 * Opens all pools that trade a token of the local chain. A move sets their accounts, and keeps the product of both
 * reserves.
 *
 * @throws StartupError if no pool trades the token
 */
export async function openSolMarket(
  request: Surfnet["request"],
  deployment: SolDeployment,
  mint: string,
): Promise<LocalMarket> {
  const pools = await poolsOf(deployment, mint);
  const found = await Promise.all(
    pools.map(async (pool) => ({ pool, price: priceOf(await reservesOf(request, pool)) })),
  );
  // A curve without reserves has graduated, and a pool without accounts has yet to come.
  const opened = found.filter(({ price }) => price > 0);
  if (opened.length === 0) throw new StartupError(`No pool trades ${mint} on sol`);

  const slotNow = async () => (await request("getSlot", [{ commitment: "processed" }])) as number;
  return {
    mostBlocks: mostSlots,
    pools: opened.map(({ pool, price }) => ({
      pool: pool.name,
      price: price * 10 ** (decimals - coinDecimals),
      unit: "SOL",
    })),
    async moveTo(factor) {
      const changed = await Promise.all(
        opened.map(async ({ pool, price }) => {
          const now = await reservesOf(request, pool);
          return accountsAfter(pool, now, (price * factor) / priceOf(now));
        }),
      );
      await Promise.all(changed.flat().map((each) => setAccount(request, each)));
      const block = await slotNow();
      const factors = await Promise.all(
        opened.map(async ({ pool, price }) => priceOf(await reservesOf(request, pool)) / price),
      );
      while ((await slotNow()) === block) await pause(5);
      return { block, factors };
    },
  };
}

async function poolsOf({ tokens, jupiter, pump }: SolDeployment, mint: string): Promise<Pool[]> {
  const ofMint = <Made extends { mint: Address }>(made: Readonly<Record<string, Made>>) =>
    Object.values(made).filter((each) => each.mint === mint);
  const withVaults = (name: string, { vaults }: { vaults: Record<"coin" | "token", Address> }): Pool => ({
    name,
    coin: { account: vaults.coin, at: amountAt },
    token: { account: vaults.token, at: amountAt },
  });
  const curves = ofMint(pump.curves);
  const graduated = await Promise.all(curves.map((each) => graduatedPool(each.mint, each.program)));
  return [
    ...ofMint(tokens).map((each) => withVaults("raydium-cpmm", each)),
    ...ofMint(jupiter.pools).map((each) => withVaults("jupiter", each)),
    ...[...ofMint(pump.pools), ...graduated].map((each) => withVaults("pumpswap", each)),
    ...curves.map(({ curve: account }) => ({
      name: "pump",
      coin: { account, at: curve.at.virtualCoins },
      token: { account, at: curve.at.virtualTokens },
    })),
  ];
}

const priceOf = ({ coins, tokens }: Reserves) => (tokens === 0n ? 0 : Number(coins) / Number(tokens));

async function reservesOf(request: Surfnet["request"], { coin, token }: Pool): Promise<Reserves> {
  const [ofCoin, ofToken] = await readAccounts(request, [coin.account, token.account]);
  if (ofCoin === undefined || ofToken === undefined) return { coins: 0n, tokens: 0n, accounts: [] };
  const accounts = coin.account === token.account ? [ofCoin] : [ofCoin, ofToken];
  const [coins, tokens] = [ofCoin.data.readBigUInt64LE(coin.at), ofToken.data.readBigUInt64LE(token.at)];
  return { coins, tokens, accounts };
}

/** Returns the accounts of a pool whose price is multiplied. */
function accountsAfter({ coin, token }: Pool, { coins, tokens, accounts }: Reserves, factor: number) {
  const moved = BigInt(Math.round(Number(coins) * Math.sqrt(factor)));
  const [ofCoin, ofToken = ofCoin] = accounts;
  ofCoin?.data.writeBigUInt64LE(moved, coin.at);
  ofToken?.data.writeBigUInt64LE((coins * tokens) / moved, token.at);
  // A vault holds its coins as lamports, above its rent. A curve keeps the coins that it really has.
  return accounts.map((each) =>
    each === ofCoin && ofToken !== ofCoin
      ? { ...each, lamports: each.lamports + Number(moved - coins) }
      : each,
  );
}
