import { StartupError } from "cdk-local-runner";
import { callAnvil } from "trading-terminal-devnet/evm/call-anvil";
import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { exampleSolWallet, exampleWallet } from "trading-terminal-devnet/example-wallets";
import * as v from "valibot";
import { balanceOf } from "../../chains/evm/calls/contract-questions.ts";
import { type EvmChain, isEvmChain, type TradingChain } from "../../core/chain-facts.ts";
import type { CoinUnits, TokenUnits } from "../../core/units.ts";

/** A wallet's coins and tokens. */
export type Holdings = {
  coins: CoinUnits;
  tokens: TokenUnits;
  /** Number of the wallet's transactions in blocks. Solana does not count them. */
  nonce?: number;
  /** Start time of a chain that stores no state, and so starts over with the runner. */
  startedAt?: string;
};

/** Tokens of sol that the demo trades: in Raydium's pool, on a curve of Pump, the rest of a curve, and on PumpSwap. */
export const solSymbols = ["MOON", "BEND", "BRIM", "GRAD"] as const;

/** A local chain, with the example wallet and a token on it. */
export type DemoChain = {
  chain: TradingChain;
  wallet: string;
  token: string;
  symbol: string;
  /** Amount of a purchase, in coins. */
  amount: string;
  decimals: number;
  /** @throws {Error} while the runner or the chain is unavailable */
  holdings(): Promise<Holdings>;
};

const usualAmount = "0.5";

const SolPlaces = v.object({
  startedAt: v.string(),
  url: v.string(),
  tokens: v.record(v.string(), v.string()),
});
const Places = v.objectWithRest({ sol: v.optional(SolPlaces) }, v.string());

/** Reads the addresses of the local runner's chains. */
export const placesOfRunner = async (baseUrl: string) =>
  v.parse(Places, await (await fetch(`${baseUrl}/chains.json`)).json());

/**
 * Finds a chain of the local runner, and a token there.
 *
 * @throws {StartupError} if the runner has no such chain
 */
export async function demoChain(
  chain: TradingChain,
  symbol: (typeof solSymbols)[number],
  baseUrl: string,
): Promise<DemoChain> {
  const places = () => placesOfRunner(baseUrl);
  const { sol } = await places();
  const missing = new StartupError(`The runner has no chain ${chain} with ${symbol}`);
  if (isEvmChain(chain)) return evmDemo(chain, async () => (await places())[chain]);
  const token = sol?.tokens[symbol];
  if (sol === undefined || token === undefined) throw missing;
  const { address: wallet } = exampleSolWallet;
  return {
    chain,
    wallet,
    token,
    symbol,
    // Completes BRIM's curve, so that its sale needs the pool that follows.
    amount: symbol === "BRIM" ? "1.05" : usualAmount,
    decimals: 6,
    async holdings() {
      const { url = "", startedAt = "" } = (await places()).sol ?? {};
      const [coins, accounts] = await Promise.all([
        callSol(url, "getBalance", [wallet, final], v.object({ value: v.number() })),
        callSol(url, "getTokenAccountsByOwner", [wallet, { mint: token }, final], TokenAccounts),
      ]);
      const amounts = accounts.value.map(({ account }) =>
        BigInt(account.data.parsed.info.tokenAmount.amount),
      );
      if ((await places()).sol?.startedAt !== startedAt)
        throw new Error("The chain sol has just started over");
      return { startedAt, coins: BigInt(coins.value), tokens: amounts.reduce((sum, each) => sum + each, 0n) };
    },
  };
}

function evmDemo(chain: EvmChain, urlOf: () => Promise<unknown>): DemoChain {
  const [{ address: wallet }, { moon: token }] = [exampleWallet, localAddresses];
  return {
    // MOON has as many decimals as the coin.
    chain,
    wallet,
    token,
    symbol: "MOON",
    amount: usualAmount,
    decimals: 18,
    async holdings() {
      const { to, data } = balanceOf(token, wallet);
      const answers = await callAnvil(v.parse(v.string(), await urlOf()), [
        ["eth_getBalance", [wallet, "latest"]],
        ["eth_call", [{ to, data }, "latest"]],
        ["eth_getTransactionCount", [wallet, "latest"]],
      ]);
      const [coins = 0n, tokens = 0n, nonce] = (answers as string[]).map(BigInt);
      return { coins, tokens, nonce: Number(nonce) };
    },
  };
}

const final = { commitment: "finalized", encoding: "jsonParsed" };

const TokenAmount = v.object({ tokenAmount: v.object({ amount: v.string() }) });
const TokenAccount = v.object({
  account: v.object({ data: v.object({ parsed: v.object({ info: TokenAmount }) }) }),
});
const TokenAccounts = v.object({ value: v.array(TokenAccount) });

async function callSol<Value>(
  url: string,
  method: string,
  params: readonly unknown[],
  schema: v.GenericSchema<unknown, Value>,
): Promise<Value> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body,
  });
  return v.parse(v.object({ result: schema }), await response.json()).result as Value;
}
