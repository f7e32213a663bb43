import { mostFeeLamports, priorityLamportsOf } from "../../../../lib/chains/sol/rules/fees.ts";
import type { SolOrderFacts, SolReceipt } from "../../../../lib/chains/sol/rules/host-snapshot.ts";
import type { SolIntent } from "../../../../lib/chains/sol/rules/intent.ts";
import type { Signed } from "./sol-chain-under-test.ts";

export const baseFee = 5n;
export const rents = { marker: 9n, wsol: 20n, token: 21n, market: 0n };
const tokens = ["MOON", "FEEZ"];

export type SolAccount = { coins: bigint; tokens: ReadonlyMap<string, bigint>; opened: ReadonlySet<string> };

export type SolState = {
  accounts: ReadonlyMap<string, SolAccount>;
  pools: ReadonlyMap<string, { coins: bigint; tokens: bigint }>;
  /** Orders whose markers were made. */
  markers: ReadonlySet<string>;
  /** Orders whose markers have received a stranger's deposit. */
  deposits: ReadonlySet<string>;
};

/** Coins for two simultaneous orders of a wallet. */
const startCoins = 13_000_000n;

export const belongings = { coins: startCoins, tokens: new Map(tokens.map((token) => [token, 30_000n])) };

export const genesis: SolState = {
  accounts: new Map(["A1", "B2"].map((wallet) => [wallet, { ...belongings, opened: new Set(["MOON"]) }])),
  pools: new Map(tokens.map((token) => [token, { coins: 1_000_000n, tokens: 100_000_000n }])),
  markers: new Set(),
  deposits: new Set(),
};

/** Computes the output of a constant-product pool without a fee. */
function quoteOf(state: SolState, { side, token }: SolIntent, amountIn: bigint): bigint {
  const { coins, tokens } = state.pools.get(token) as { coins: bigint; tokens: bigint };
  return side === "buy" ? (tokens * amountIn) / (coins + amountIn) : (coins * amountIn) / (tokens + amountIn);
}

export function factsOf(state: SolState, intent: SolIntent, helper: string): SolOrderFacts {
  const { side, token, wallet, amount, routes } = intent;
  const account = state.accounts.get(wallet) as SolAccount;
  const held = account.tokens.get(token) ?? 0n;
  const amountIn = side === "sell" && held < amount ? held : amount;
  const amountOut = quoteOf(state, intent, amountIn);
  return {
    ...(side === "sell" && { held }),
    routes:
      amountOut === 0n
        ? []
        : routes.flatMap((route) => {
            if (route.venue === "jupiter-metis")
              return { ...route, amountOut, build: { helper, sourceDecimals: 9, accounts: [], data: "" } };
            return route.venue === "raydium-cpmm" ? { ...route, amountOut } : [];
          }),
    computeUnitLimit: 1000,
    baseFeeLamports: baseFee,
    rents: { ...rents, token: account.opened.has(token) ? 0n : rents.token },
  };
}

/** Executes a message. Returns undefined if the wallet cannot pay its fee. */
export function execute(
  state: SolState,
  { hash, intent, message }: Signed,
  block: SolReceipt["block"],
): { state: SolState; receipt: SolReceipt } | undefined {
  const { wallet, token, side, minAmountOut, orderId } = intent;
  const account = state.accounts.get(wallet) as SolAccount;
  const tip = message.tip?.lamports ?? 0n;
  const charged = BigInt(message.signatures) * baseFee + priorityLamportsOf(message);
  if (account.coins < charged) return undefined;
  const common = { hash, block, computeUnits: 900 };
  const withAccount = (changed: SolAccount, more: Partial<SolState> = {}): SolState => ({
    ...state,
    accounts: new Map(state.accounts).set(wallet, changed),
    ...more,
  });
  const failed = (isSlippage: boolean) => ({
    state: withAccount({ ...account, coins: account.coins - charged }),
    receipt: { ...common, fee: charged, tip: 0n, rent: 0n, status: "failed", isSlippage } as const,
  });
  if (state.markers.has(orderId)) return failed(false);
  const markers = new Set(state.markers).add(orderId);
  const fee = mostFeeLamports({ ...message, tipLamports: tip }, baseFee);
  const held = account.tokens.get(token) ?? 0n;
  if (message.purpose === "clear") {
    const coins = account.coins - fee - rents.marker;
    if (coins < 0n) return failed(false);
    const receipt = {
      ...common,
      fee,
      tip,
      rent: rents.marker,
      status: "ok",
      spent: 0n,
      received: 0n,
      held,
    } as const;
    return { state: withAccount({ ...account, coins }, { markers }), receipt };
  }
  const { amountIn } = message;
  const opening = account.opened.has(token) || side === "sell" ? 0n : rents.token;
  const rent = rents.marker + opening;
  const out = quoteOf(state, intent, amountIn);
  const peak = fee + rent + rents.wsol + (side === "buy" ? amountIn : 0n);
  if (account.coins < peak || (side === "sell" && held < amountIn)) return failed(false);
  if (out < minAmountOut) return failed(true);
  const pool = state.pools.get(token) as { coins: bigint; tokens: bigint };
  const [coinsIn, tokensOut] = side === "buy" ? [amountIn, out] : [-out, -amountIn];
  const pools = new Map(state.pools).set(token, {
    coins: pool.coins + coinsIn,
    tokens: pool.tokens - tokensOut,
  });
  const changed = {
    coins: account.coins - fee - rent - coinsIn,
    tokens: new Map(account.tokens).set(token, held + tokensOut),
    opened: new Set(account.opened).add(token),
  };
  const receipt = { ...common, fee, tip, rent, status: "ok", spent: amountIn, received: out, held } as const;
  return { state: withAccount(changed, { markers, pools }), receipt };
}
