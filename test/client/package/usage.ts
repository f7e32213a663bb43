/** Correct uses of the client that must compile, and mistakes that must not. Nothing runs them. */
import {
  type Balance,
  createTerminal,
  type Decimal,
  type EvmAddress,
  isAmount,
  isEvmAddress,
  type Leaderboard,
  type Order,
  type OrderRequest,
  type Policy,
  type Position,
  type Profile,
  type Quote,
  type Redemption,
  type Referrals,
  type Reward,
  type Token,
  type Wallet,
} from "trading-terminal-client";
import {
  createTerminal as createKeyedTerminal,
  makeProgramKey,
  type ProgramKey,
} from "trading-terminal-client/key";
import {
  type Chart,
  followCandles,
  marketOf,
  type Valuation,
  valueOf as valuationOf,
} from "trading-terminal-client/markets";
import { importSealed, newExportKeys, walletExporter } from "trading-terminal-client/seal";

const terminal = createTerminal({ baseUrl: "http://127.0.0.1:3000", token: async () => "t" });
const [wallet, token]: [EvmAddress, EvmAddress] = ["0x1", "0x2"];
const order = { type: "market", chain: "eth", wallet, token } as const;

export async function orders(): Promise<unknown> {
  const placed = await terminal.placeOrder({ body: { ...order, side: "buy", amount: "0.5" } });
  const id: string | undefined = placed.data?.order.orderId;
  const tried = await terminal.placeOrder({ body: { ...order, side: "sell", percent: 50, dryRun: true } });
  const quote: Quote | undefined = tried.data?.quote;
  // @ts-expect-error: a dry run has no order
  tried.data?.order;
  // @ts-expect-error: a placed order has no quote
  placed.data?.quote;
  const dryRun = Math.random() > 0.5;
  const either = await terminal.placeOrder({ body: { ...order, side: "buy", amount: "1", dryRun } });
  const found: Order | Quote | undefined =
    either.data && ("order" in either.data ? either.data.order : either.data.quote);
  const body: OrderRequest = { ...order, side: "buy", amount: "1", minAmountOut: quote?.minAmountOut ?? "1" };
  await terminal.placeOrder({ body });
  await terminal.placeOrder({
    body: { ...order, side: "sell", amount: "1", slippage: 1, gasPreset: "fast" },
  });
  const onSol = { type: "market", chain: "sol", wallet: "9uKP", token: "9Qr8" } as const;
  await terminal.placeOrder({ body: { ...onSol, side: "sell", percent: 100, priorityFee: 0.001 } });
  const automatic = await terminal.placeOrder({ body: { auto: "buy", chain: "eth", token } });
  const bought: Order | undefined = automatic.data?.order;
  return [id, found, bought, await terminal.waitForOrder(id ?? "", { until: "filled", timeoutMs: 1000 })];
}

export async function mistakes(): Promise<void> {
  // @ts-expect-error: a purchase with a share
  await terminal.placeOrder({ body: { ...order, side: "buy", percent: 50 } });
  // @ts-expect-error: an automatic buy with an amount
  await terminal.placeOrder({ body: { auto: "buy", chain: "eth", token, amount: "1" } });
  // @ts-expect-error: an amount and a share
  await terminal.placeOrder({ body: { ...order, side: "sell", amount: "1", percent: 50 } });
  // @ts-expect-error: neither
  await terminal.placeOrder({ body: { ...order, side: "sell" } });
  // @ts-expect-error: two limits of the price
  await terminal.placeOrder({ body: { ...order, side: "buy", amount: "1", slippage: 1, minAmountOut: "1" } });
  // @ts-expect-error: a fee of sol on eth
  await terminal.placeOrder({ body: { ...order, side: "buy", amount: "1", priorityFee: 1 } });
  // @ts-expect-error: gas on sol
  await terminal.quoteOrder({ body: { chain: "sol", side: "buy", token, amount: "1", maxGasPrice: 1 } });
  // @ts-expect-error: a share of no wallet
  await terminal.quoteOrder({ body: { chain: "eth", side: "sell", token, percent: 50 } });
  // @ts-expect-error: a symbol in place of an address
  await terminal.quoteOrder({ body: { chain: "eth", side: "buy", token: "moon", amount: "1" } });
  // @ts-expect-error: words in place of an amount
  await terminal.quoteOrder({ body: { chain: "eth", side: "buy", token, amount: "half" } });
  // @ts-expect-error: a misspelt field
  await terminal.placeOrder({ body: { ...order, side: "buy", amount: "1", slipage: 1 } });
  void ({
    type: "market",
    chain: "eth",
    side: "buy",
    wallet,
    token,
    // @ts-expect-error: a misspelt field, which `satisfies` names
    amout: "1",
  } satisfies OrderRequest);
  // @ts-expect-error: a limit as text
  await terminal.listOrders({ query: { limit: "20" } });
  // @ts-expect-error: an unknown channel
  terminal.follow({ channels: ["trades"] });
  // @ts-expect-error: a token in place of its provider
  createTerminal({ baseUrl: "", token: "eyJ" });
  // @ts-expect-error: a list without pages
  terminal.pages("listRewards");
}

export async function records(): Promise<unknown[]> {
  const profile: Profile | undefined = (await terminal.getUserData()).data;
  const same: Profile | undefined = (await terminal.getUserData({ query: { type: "profile" } })).data;
  const referrals: Referrals | undefined = (await terminal.getUserData({ query: { type: "ref" } })).data;
  const type = profile === undefined ? "ref" : "profile";
  const either: Profile | Referrals | undefined = (await terminal.getUserData({ query: { type } })).data;
  const tokens: Token[] = (await terminal.listTokens()).data?.tokens ?? [];
  const balances: Balance[] = (await terminal.readBalances({ query: { chain: "eth" } })).data?.balances ?? [];
  const { data: board } = await terminal.getLeaderboard({ query: { window: "daily" } });
  const leaderboard: Leaderboard | undefined = board;
  const rewards: Reward[] = (await terminal.listRewards()).data?.rewards ?? [];
  const pages: (Redemption | Position)[] = [];
  for await (const { data } of terminal.pages("listRedemptions")) pages.push(...(data?.redemptions ?? []));
  for await (const { data } of terminal.pages("listPositions", { query: { limit: 100 } }))
    pages.push(...(data?.positions ?? []));
  const policy: Policy | undefined = (await terminal.getWalletPolicy({ path: { walletId: "w" } })).data
    ?.policy;
  return [same, referrals, either, tokens, balances, leaderboard, rewards, pages, policy];
}

/** Addresses of wallets and tokens have their chain's form. */
export function addresses(of: Wallet, listed: Token): EvmAddress | undefined {
  if (of.network !== "sol") return of.generatedWalletAddress;
  if (listed.chain !== "sol" && listed.token !== "native") return listed.token;
  // @ts-expect-error: those of sol are any text
  const wrong: EvmAddress = of.generatedWalletAddress;
  return wrong;
}

export function given(text: string): [EvmAddress | undefined, Decimal | undefined] {
  return [isEvmAddress(text) ? text : undefined, isAmount(text) ? text : undefined];
}

export async function errors(): Promise<unknown> {
  const { error } = await terminal.placeOrder({ body: { ...order, side: "buy", amount: "1" } });
  // A proxy may respond with the same status but without details.
  if (Math.random() > 0.5 && error?.status === 422) return error.details?.orderId;
  if (error?.code === "IDEMPOTENCY_KEY_REUSED") return error.details.orderId satisfies string;
  if (error?.code === "POLICY_LIMIT" && error.details.rule === "maxSlippage") return error.details.limit + 1;
  if (error?.status === 503) return error.retryAfterSeconds;
  if (error?.code === "NETWORK_ERROR") return error.cause;
  // @ts-expect-error: no code of this operation
  if (error?.code === "REWARD_BUSY") return error;
  const made = await terminal.createWallet({ body: { network: "eth" } });
  if (made.error?.code === "IDEMPOTENCY_KEY_REUSED") return made.error.details.walletId satisfies string;
  const bought = await terminal.redeemReward({ path: { rewardId: "r" } });
  if (bought.error?.code === "IDEMPOTENCY_KEY_REUSED")
    return bought.error.details.redemptionId satisfies string;
  return undefined;
}

export async function sealed(): Promise<unknown> {
  const imported = { network: "eth", privateKey: "0x", userID: "u", trustedKeyIds: ["k"] } as const;
  const { data } = await importSealed(terminal, imported);
  const of = { walletId: data?.wallet._id ?? "", network: "eth", userID: "u" } as const;
  const exporter = await walletExporter(terminal, await newExportKeys(), of);
  const answer = await exporter.ask();
  return answer.data?.status === "ready" ? answer.data.privateKey : undefined;
}

export async function keyed(key: ProgramKey): Promise<string | undefined> {
  const { publicKey, privateKey } = await makeProgramKey();
  const own = createKeyedTerminal({ baseUrl: "", patienceMs: 1000, key: { ...key, privateKey } });
  own.follow({
    channels: ["orders"],
    onStatus: (now) => now.status === "closed" && now.error?.code,
  });
  // @ts-expect-error: a key takes the place of tokens
  createKeyedTerminal({ baseUrl: "", key, token: async () => "t" });
  const { error } = await own.listOrders();
  return error?.code === "KEY_REFUSED" || error?.code === "CLOCK_WRONG" ? error.message : publicKey;
}

export async function streams(): Promise<Order> {
  const stream = terminal.follow({ channels: ["orders", "prices"], onStatus: ({ status }) => status });
  const signal = AbortSignal.timeout(1000);
  const first = await stream.until(({ orders }) => orders.find(({ settled }) => settled), { signal });
  stream.reconnect();
  stream.close();
  return first;
}

export function markets(position: Position): [Chart, Valuation] {
  const moon = { chain: "eth", token } as const;
  const stream = terminal.follow({ channels: ["prices"], tokens: [{ ...moon, candles: true }], every: 1 });
  const chart = followCandles(terminal, stream, { ...moon, interval: "5m", onCandles: (all) => all.length });
  const valued = valuationOf(position, stream.state && marketOf(stream.state, position));
  // @ts-expect-error: a market that is not read has no value
  if (valued.status === "stale") return valued.value;
  const text: Decimal | undefined = valued.status === "valued" ? valued.usd?.unrealizedPnl : undefined;
  stream.removeTokens(text === undefined ? [] : [moon]);
  // @ts-expect-error: an interval that the service does not have
  followCandles(terminal, stream, { ...moon, interval: "2m", onCandles: () => {} });
  return [chart, valued];
}
