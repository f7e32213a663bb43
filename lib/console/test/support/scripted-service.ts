import type { Page, WebSocketRoute } from "playwright-core";
import type { Order, Position } from "trading-terminal-client";

const now = Date.now();
const time = new Date(now).toISOString();

export const moon = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
/** The other listed token. */
export const usdx = `0x${"1".repeat(40)}`;

/** Builds a wallet of the user. */
export const walletNumber = (index: number, slotName = `Wallet ${index + 1}`) => ({
  _id: `w-${index}`,
  network: "eth",
  slotName,
  colortag: ["blue", "green", "orange", "purple", "red"][index % 5],
  generatedWalletAddress: `0x${String(index).padStart(40, "0")}`,
  version: 1,
  createdAt: time,
});

const wallet = walletNumber(0).generatedWalletAddress;

/** Builds a filled market order. */
export const orderNumber = (index: number, change: Partial<Order> = {}) =>
  ({
    orderId: `o-${index}`,
    chain: "eth",
    token: moon,
    symbol: "MOON/ETH",
    baseSymbol: "MOON",
    quoteSymbol: "ETH",
    side: index % 2 === 0 ? "buy" : "sell",
    type: "market",
    wallet,
    amount: index % 2 === 0 ? "0.1" : "994.687",
    status: "filled",
    version: 1,
    filledAmount: index % 2 === 0 ? "0.1" : "994.687",
    receivedAmount: index % 2 === 0 ? "994.687" : "0.1005",
    averagePrice: "0.000100534",
    networkFee: "0.0002392",
    stage: "done",
    settled: true,
    createdAt: new Date(now - index * 60_000).toISOString(),
    updatedAt: time,
    ...change,
  }) as Order;

/** Builds a limit order that rests. */
export const restingNumber = (index: number, change: Partial<Order> = {}) =>
  orderNumber(index, {
    side: "sell",
    type: "limit",
    price: "0.00018",
    amount: "500",
    status: "open",
    stage: "resting",
    settled: false,
    filledAmount: "0",
    receivedAmount: undefined,
    averagePrice: undefined,
    ...change,
  } as Partial<Order>);

/** Builds an open position. */
export const positionNumber = (index: number, change: Partial<Position> = {}) =>
  ({
    positionId: `p-${index}`,
    chain: "eth",
    token: moon,
    symbol: "MOON/ETH",
    baseSymbol: "MOON",
    quoteSymbol: "ETH",
    wallet,
    status: "open",
    version: 1,
    amount: "994.687",
    cost: "0.1",
    averageEntryPrice: "0.000100534",
    realizedPnl: "-0.00298068",
    openedAt: new Date(now - index * 3_600_000).toISOString(),
    updatedAt: time,
    ...change,
  }) as Position;

const market = {
  chain: "eth",
  token: moon,
  symbol: "MOON",
  name: "Moon",
  decimals: 18,
  price: "0.000104904",
  priceUsd: "0.27258",
  change24h: 4.9,
  volume24h: "6.264",
  liquidity: "2.006",
  fdvUsd: "27258000",
  trades24h: 15,
  flags: ["THIN"],
  pools: 5,
  history: "complete",
  block: 100,
  asOf: time,
};

/** Builds the quote of a trade. */
export const quoteFor = (body: Record<string, unknown>) => ({
  ...body,
  symbol: "MOON/ETH",
  baseSymbol: "MOON",
  quoteSymbol: "ETH",
  amount: body.amount ?? "497.3",
  amountToken: body.side === "buy" ? "native" : moon,
  amountOut: body.side === "buy" ? "994.687" : "0.0514776",
  minAmountOut: body.side === "buy" ? "984.74" : "0.0509628880516",
  price: "0.000100534",
  priceImpact: 0.1827,
  sellable: true,
  buyTax: 0,
  sellTax: 0,
  flags: [],
  route: [{ venue: "uniswap-v2", pool: moon, feeBps: 30, tokenIn: "native", tokenOut: moon }],
  approval: false,
  networkFee: { expected: "0.0002392", max: "0.0003589", l1: "0" },
  submission: "public",
  warnings: [],
  block: 100,
  asOf: new Date().toISOString(),
  validUntil: new Date(Date.now() + 30_000).toISOString(),
});

const candles = Array.from({ length: 120 }, (_, index) => {
  const [open, close] = [index, index + 1].map((each) => 0.0001 + Math.sin(each / 7) * 5e-6 + each * 3e-8);
  const [low, high] = [Math.min(open ?? 0, close ?? 0) - 1e-6, Math.max(open ?? 0, close ?? 0) + 1e-6];
  const texts = Object.fromEntries(
    Object.entries({ open, high, low, close }).map(([name, value]) => [name, value?.toFixed(12)]),
  );
  const start = Math.floor(now / 60_000 - 120 + index) * 60_000;
  return { time: new Date(start).toISOString(), ...texts, volume: "1.5", trades: 2, isFinal: true };
});

const tokens = [
  { chain: "eth", token: moon, symbol: "MOON", name: "Moon", decimals: 18, listed: true },
  { chain: "eth", token: usdx, symbol: "USDX", name: "USDX", decimals: 6, listed: true },
];

/** Days of the coin, which closed at the same price. */
const coinDays = Array.from({ length: 8 }, (_, index) => {
  const [open, high, low, close] = Array(4).fill("2500");
  const time = `${new Date(now - (7 - index) * 86_400_000).toISOString().slice(0, 10)}T00:00:00.000Z`;
  return { time, open, high, low, close, isFinal: false };
});

/** A webhook that gets the user's notices. */
export const webhook = {
  deviceId: "D".repeat(26),
  type: "webhook",
  name: "Desk",
  host: "hooks.example",
  wants: { fills: true, rejections: true, resting: false },
  createdAt: time,
};

/** The profile of the user. */
export const scriptedProfile = {
  userID: "ada",
  username: "ada",
  tier: "Base",
  Level: 1,
  Xp: { total: 0, daily: 0, weekly: 0, monthly: 0 },
  xpRemainingForNextLevel: 100,
  tradeStreakCount: 0,
  Ranked: false,
  viewedMessage: false,
};

const pageSize = 100;

/** Answers with a page of records, and the cursor of the next one. */
function pageOf<Item>(name: string, items: readonly Item[], url: URL) {
  const end = Number(url.searchParams.get("cursor")) + pageSize;
  return { [name]: items.slice(end - pageSize, end), ...(end < items.length && { cursor: String(end) }) };
}

/** Data that the service has of its user. */
export type Scripted = {
  orders?: readonly Order[];
  /** Orders that the stream lacks. */
  olderOrders?: readonly Order[];
  positions?: readonly Position[];
  wallets?: readonly ReturnType<typeof walletNumber>[];
};

/** The stream of a page. */
export type ScriptedStream = {
  /** Messages that the page has sent. */
  sent: { type: string; channels?: string[]; tokens?: { token: string }[] }[];
  /** Sends the page a message as if from the service. */
  send(message: object): void;
  /** Holds back all messages while the connection stays open, as if the network were lost. */
  hold(isHeld: boolean): void;
  /** Closes the connection and refuses new ones. */
  cut(): Promise<void>;
  /** Accepts connections again. */
  mend(): void;
};

/**
 * Answers a page's requests and its stream in place of the service, so that tests of layout need no runner. It handles
 * neither orders nor sign-ins.
 */
export async function scriptService(
  page: Page,
  { orders = [], olderOrders = [], positions = [], wallets = [walletNumber(0)] }: Scripted = {},
): Promise<ScriptedStream> {
  const settings = {
    slippage: 1,
    mevProtection: true,
    autoBuy: false,
    autoSell: false,
    gasPreset: "fast",
    maxGasPrice: 30,
  };
  const answers: [path: RegExp, data: (url: URL, body: Record<string, unknown>) => object][] = [
    [/getUserData$/, () => scriptedProfile],
    [/\/settings\/[^/]+$/, (url) => ({ chain: url.pathname.split("/").at(-1), version: 0, settings })],
    [/\/v2\/wallets$/, () => ({ wallets })],
    [
      /\/tokens$/,
      ({ searchParams }) => ({
        tokens: tokens.map((token) => ({ ...token, chain: searchParams.get("chain") ?? token.chain })),
      }),
    ],
    [
      /\/tokens\/[^/]+\/[^/]+$/,
      ({ pathname }) => ({
        token: {
          ...(tokens.find(({ token }) => pathname.endsWith(token)) ?? tokens[0]),
          sellable: true,
          buyTax: 0,
          sellTax: 0,
          flags: [],
          block: 1,
          asOf: time,
          pools: [],
        },
      }),
    ],
    [/\/native\/candles$/, () => ({ interval: "1d", currency: "usd", candles: coinDays })],
    [
      /\/candles$/,
      (url) => ({
        interval: url.searchParams.get("interval"),
        currency: "native",
        history: "complete",
        revision: 0,
        candles,
      }),
    ],
    [/\/markets\/[^/]+\/[^/]+$/, () => ({ market })],
    [
      /\/balances$/,
      () => ({ balances: [{ token: "native", symbol: "ETH", amount: "100", available: "99.9965" }] }),
    ],
    [/\/quotes$/, (_, body) => ({ quote: quoteFor(body) })],
    [/\/v2\/devices$/, () => ({ devices: [webhook] })],
    [/\/v2\/keys$/, () => ({ keys: [] })],
    [/\/rewards$/, () => ({ rewards: [] })],
    [/\/leaderboard$/, () => ({ window: "weekly", start: "2026-11-30", publicName: null, entries: [] })],
    [/\/v2\/profile$/, () => ({ profile: { publicName: null, viewedMessage: false } })],
    [/redemptions$/, () => ({ redemptions: [], points: 0 })],
    [/\/orders$/, (url) => pageOf("orders", olderOrders, url)],
    [/\/positions$/, (url) => pageOf("positions", positions, url)],
    [/\/lock$/, () => ({ lock: { status: "unlocked" } })],
  ];
  await page.route(/\/(api\/|getUserData)/, (route) => {
    const url = new URL(route.request().url());
    const [, data] = answers.find(([path]) => path.test(url.pathname)) ?? [];
    if (data === undefined)
      return route.fulfill({
        status: 404,
        json: { success: false, error: { code: "NOT_FOUND", message: url.pathname } },
      });
    return route.fulfill({
      json: { success: true, data: data(url, route.request().postDataJSON() ?? {}), timestamp: time },
    });
  });
  const stream = await scriptStream(page, (channel) => {
    const heads = { eth: { block: 100, time: new Date().toISOString() } };
    const coin = {
      chain: "eth",
      symbol: "ETH",
      price: "2598.33",
      currency: "USD",
      source: "simulated",
      asOf: time,
    };
    const data = { orders, positions, prices: [coin, { ...market, revision: 1 }] }[channel];
    return { type: "snapshot", channel, time, data, ...(channel === "prices" && { heads }) };
  });
  await signInByScript(page, "ada");
  return stream;
}

/** Accepts the stream of a page. Answers its pings, and its subscriptions by the channel's snapshot. */
async function scriptStream(page: Page, snapshotOf: (channel: string) => object): Promise<ScriptedStream> {
  const sent: ScriptedStream["sent"] = [];
  let socket: WebSocketRoute | undefined;
  let isHeld = false;
  let isCut = false;
  const send = (message: object) => isHeld || socket?.send(JSON.stringify(message));
  await page.routeWebSocket("**/stream", (opened) => {
    if (isCut) return void opened.close({ code: 1011 });
    socket = opened;
    opened.onMessage((text) => {
      const message = JSON.parse(String(text)) as ScriptedStream["sent"][number];
      sent.push(message);
      if (message.type === "ping") send({ type: "pong" });
      for (const channel of message.channels ?? []) send(snapshotOf(channel));
    });
  });
  return {
    sent,
    send,
    hold(next) {
      isHeld = next;
      // Answers the ping that the page has sent meanwhile.
      send({ type: "pong" });
    },
    async cut() {
      isCut = true;
      await socket?.close({ code: 1011 });
    },
    mend() {
      isCut = false;
    },
  };
}

const explorers = { eth: "https://etherscan.io", sol: "https://solscan.io" };

/** Answers in place of an issuer, and lets the page begin as after a reload. */
export async function signInByScript(page: Page, user: string): Promise<void> {
  await page.route(/\/(console\/config\.json|issuer\/.*)$/, (route) => {
    const { origin, pathname } = new URL(route.request().url());
    const issuer = `${origin}/issuer`;
    const endpoints = { authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` };
    const claims = Buffer.from(JSON.stringify({ sub: user })).toString("base64url");
    const tokens = { access_token: `e30.${claims}.e30`, token_type: "Bearer", refresh_token: "next" };
    if (pathname.endsWith("config.json"))
      return route.fulfill({ json: { issuer, clientId: "console", scope: "openid", explorers } });
    return route.fulfill({ json: pathname.endsWith("token") ? tokens : { issuer, ...endpoints } });
  });
  const kept = JSON.stringify({ token: "first", user, signedInMs: 1 });
  await page.addInitScript(
    `try { sessionStorage.setItem("refresh-token", ${JSON.stringify(kept)}) } catch {}`,
  );
}
