import type { EvmCall, EvmRoute } from "../../../lib/chains/evm/rules/intent.ts";
import { localV2, localV3 } from "../../support/trading.ts";

export type ForeignCall = { purpose: "foreign"; token?: string; amount: bigint };

/** A signed transaction. */
export type Transaction = {
  hash: string;
  raw: string;
  wallet: string;
  nonce: number;
  call: EvmCall | ForeignCall;
  gasLimit: bigint;
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
};

export type Account = {
  nonce: number;
  coins: bigint;
  tokens: ReadonlyMap<string, bigint>;
  /** Token amounts that a router may take, keyed by {@link spenderOf}. */
  allowances: ReadonlyMap<string, bigint>;
};

type Pool = { coins: bigint; tokens: bigint };

/** All state that a block changes. It is immutable, so forks share unchanged parts. */
export type State = {
  accounts: ReadonlyMap<string, Account>;
  /** Pools, keyed by {@link poolOf}. */
  pools: ReadonlyMap<string, Pool>;
  strayCoins: bigint;
};

export type Outcome =
  | { status: "ok"; spent: bigint; received: bigint; moved?: bigint }
  | { status: "failed"; isSlippage: boolean; reason: string };

/** Maximum amount of coin that a v3 pool accepts in one swap before it runs dry. */
export const dryAt = 600n;

/** Recognizes DUSK, whose v3 pool runs dry and whose allowance can change only from 0. */
export const isDusk = (token: string): boolean => token === "DUSK";

/** Routes for which tokens have pools. */
export const poolRoutes: readonly EvmRoute[] = [localV2, localV3];

/** Returns the route of a token's deepest pool. */
export const mainRoute = (token: string): EvmRoute => (isDusk(token) ? localV3 : localV2);

export const spenderOf = (token: string, { router }: Pick<EvmRoute, "router">): string =>
  `${token} ${router}`;
export const poolOf = (token: string, { venue, feeBps }: EvmRoute): string => `${token} ${venue} ${feeBps}`;

/** Layer 1 fee of each transaction. */
export const l1Fee = 150_000n;

/** Returns the coin that an account needs for a transaction, without the layer 1 fee. */
export const mostCost = ({ call, gasLimit, maxFeePerGas }: Transaction): bigint =>
  (call.purpose === "swap" ? call.value : 0n) + gasLimit * maxFeePerGas;

export const gasUsed = (gasLimit: bigint): bigint => (gasLimit * 4n) / 5n;

const output = (amountIn: bigint, reserveIn: bigint, reserveOut: bigint) =>
  (reserveOut * amountIn * 997n) / (reserveIn * 1000n + amountIn * 997n);

type Side = "buy" | "sell";

/** Returns the state after other traders have bought a token on its main route. */
export function traded(state: State, token: string, coins: bigint): State {
  const at = poolOf(token, mainRoute(token));
  const pool = state.pools.get(at);
  if (pool === undefined) return state;
  const tokens = pool.tokens - output(coins, pool.coins, pool.tokens);
  return { ...state, pools: set(state.pools, at, { coins: pool.coins + coins, tokens }) };
}

/** Returns the amount that a route pays, or 0 if it has no pool. */
export function quote(state: State, side: Side, token: string, route: EvmRoute, amountIn: bigint): bigint {
  const pool = state.pools.get(poolOf(token, route));
  if (pool === undefined) return 0n;
  const taken = side === "buy" ? takenBy(token, route, amountIn) : amountIn;
  return side === "buy" ? output(taken, pool.coins, pool.tokens) : output(taken, pool.tokens, pool.coins);
}

/** Returns how much of the offered coin a pool takes. */
const takenBy = (token: string, { venue }: EvmRoute, amountIn: bigint): bigint =>
  isDusk(token) && venue === "uniswap-v3" && amountIn > dryAt ? dryAt : amountIn;

const set = <Value>(map: ReadonlyMap<string, Value>, key: string, value: Value) =>
  new Map(map).set(key, value);

/** Returns the state after a transaction, and its effects. A failed transaction pays its fee, too. */
export function execute(
  state: State,
  transaction: Transaction,
  fee: bigint,
  time: number,
): { state: State; outcome: Outcome } {
  const { wallet, call } = transaction;
  const account = state.accounts.get(wallet) as Account;
  const paid = { ...account, nonce: account.nonce + 1, coins: account.coins - fee };
  const after = (changes: Partial<Account>, rest: Partial<State> = {}): State => ({
    ...state,
    ...rest,
    accounts: set(state.accounts, wallet, { ...paid, ...changes }),
  });
  const failed = (reason: string, isSlippage = false) => ({
    state: after({}),
    outcome: { status: "failed", isSlippage, reason } as const,
  });
  const done = (changed: State, spent = 0n, received = 0n) => ({
    state: changed,
    outcome: { status: "ok", spent, received } as const,
  });
  if (call.purpose === "clear") return done(after({}));
  if (call.purpose === "foreign") {
    const held = call.token === undefined ? 0n : (account.tokens.get(call.token) ?? 0n);
    const amount = call.amount < held ? call.amount : held;
    const changes =
      call.token === undefined ? {} : { tokens: set(account.tokens, call.token, held - amount) };
    return done(after(changes), amount);
  }
  const spender = spenderOf(call.token, call);
  const allowance = account.allowances.get(spender) ?? 0n;
  if (call.purpose === "approve") {
    if (isDusk(call.token) && allowance > 0n && call.amount > 0n) return failed("allowance is not 0");
    return done(after({ allowances: set(account.allowances, spender, call.amount) }));
  }
  if (time > call.deadline) return failed("deadline");
  const at = poolOf(call.token, call);
  const pool = state.pools.get(at);
  if (pool === undefined) return failed("pool");
  const held = account.tokens.get(call.token) ?? 0n;
  const received = quote(state, call.side, call.token, call, call.amountIn);
  if (call.side === "buy") {
    if (received < call.minAmountOut) return failed("minimum", true);
    const spent = takenBy(call.token, call, call.value);
    const left = call.value - spent;
    const pools = set(state.pools, at, { coins: pool.coins + spent, tokens: pool.tokens - received });
    const strayCoins = state.strayCoins + (call.hasRefund ? 0n : left);
    const coins = paid.coins - call.value + (call.hasRefund ? left : 0n);
    return done(
      after({ coins, tokens: set(account.tokens, call.token, held + received) }, { pools, strayCoins }),
      spent,
      received,
    );
  }
  if (allowance < call.amountIn) return failed("allowance");
  if (held < call.amountIn) return failed("balance");
  if (received < call.minAmountOut) return failed("minimum", true);
  const pools = set(state.pools, at, {
    coins: pool.coins - received,
    tokens: pool.tokens + call.amountIn,
  });
  return done(
    after(
      {
        coins: paid.coins + received,
        tokens: set(account.tokens, call.token, held - call.amountIn),
        allowances: set(account.allowances, spender, allowance - call.amountIn),
      },
      { pools },
    ),
    call.amountIn,
    received,
  );
}
