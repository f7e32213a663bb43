import { type ComponentChildren, render } from "preact";
import type {
  Order,
  OrderRequest,
  Position,
  Quote,
  Settings,
  Terminal,
  TerminalState,
} from "trading-terminal-client";
import { Choice, Facts, Field, Form, Panel, Select, Swatches, Unread } from "./controls.tsx";
import { type Desk, DeskContext, type Profile } from "./desk.ts";
import { type NewToken, NewTokenList } from "./discovery.tsx";
import { ChartStates } from "./gallery-chart.tsx";
import { PortfolioStates } from "./gallery-portfolio.tsx";
import { TicketFields } from "./gallery-ticket.tsx";
import { Entries } from "./leaderboard.tsx";
import { LevelBar } from "./level.tsx";
import { newEntry } from "./log-entries.ts";
import { MessageLog } from "./message-log.tsx";
import { Notices } from "./notices.tsx";
import { Fills, Orders, Resting } from "./orders.tsx";
import { Positions } from "./positions.tsx";
import { SettingsPanel } from "./settings-panel.tsx";
import { StaleBanner } from "./stale-banner.tsx";
import { freshSide } from "./ticket/fresh.ts";
import { QuoteView } from "./ticket/quote-view.tsx";
import { TokenView } from "./ticket/token-view.tsx";
import { Unanswered } from "./ticket/unanswered.tsx";
import { AddressCode } from "./wallets/address-code.tsx";
import { GuardNotices } from "./wallets/guard-notices.tsx";
import type { Policy } from "./wallets/looser-limits.ts";
import { Watchlist } from "./watchlist.tsx";

/** Shows every component of the console in each of its states, for visual and accessibility checks. */

const address = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const now = Date.now();
const today = new Date(now).toISOString();
const ignore = () => {};
const never = async () => "refused" as const;

const quote = {
  chain: "eth",
  side: "buy",
  token: address,
  symbol: "MOON/ETH",
  baseSymbol: "MOON",
  quoteSymbol: "ETH",
  amount: "0.1",
  amountToken: "native",
  amountOut: "996.006",
  minAmountOut: "986.0469",
  price: "0.0001004",
  priceImpact: 0.1,
  sellable: true,
  buyTax: 0,
  sellTax: 0,
  flags: [],
  route: [{ venue: "uniswap-v2", pool: address, feeBps: 30, tokenIn: "native", tokenOut: address }],
  approval: false,
  networkFee: { expected: "0.00026", max: "0.00047", l1: "0" },
  submission: "public",
  warnings: [],
  block: 1,
  asOf: "",
  validUntil: "",
} as const satisfies Quote;

const costly: Quote = {
  ...quote,
  price: "0.0001301",
  priceImpact: 9.1,
  networkFee: { expected: "0.05", max: "0.06", l1: "0" },
  warnings: ["PRICE_IMPACT_HIGH", "FEE_ABOVE_VALUE"],
};

const newToken: NewToken = {
  chain: "eth",
  token: address,
  symbol: "NEW",
  name: "New",
  decimals: 18,
  listed: false,
  sellable: true,
  buyTax: 0,
  sellTax: 0,
  flags: ["NOT_LISTED"],
  liquidity: "12.3456",
  pool: address,
  venue: "uniswap-v2",
  madeAt: new Date(now - 150_000).toISOString(),
  isConfirmed: true,
};

const newTokens: readonly NewToken[] = [
  newToken,
  {
    ...newToken,
    token: address.replace("f39F", "f39E"),
    symbol: "\u05d0\u05d1\u05d2",
    name: "\u{1f680}".repeat(32),
    sellable: false,
    buyTax: 5,
    sellTax: null,
    flags: ["NOT_LISTED", "IMPERSONATES", "CANNOT_SELL"],
    liquidity: "40",
    isConfirmed: false,
  },
];

const inspected = {
  chain: "eth",
  token: address,
  symbol: "MOON",
  name: "Moon",
  decimals: 18,
  listed: true,
  sellable: true,
  buyTax: 0,
  sellTax: 0,
  flags: [],
  block: 1,
  asOf: "",
  pools: [{ venue: "uniswap-v2", pool: address, feeBps: 30, liquidity: "500" }],
} as const;

const position = (chain: "eth" | "bsc" | "base", cost: `${number}`) =>
  ({
    positionId: chain,
    chain,
    token: address,
    symbol: "MOON",
    wallet: address,
    status: "open",
    version: 1,
    amount: "1000",
    cost,
    averageEntryPrice: "0.0001",
    costFees: "0.0003",
    realizedPnl: "0",
    openedAt: today,
    updatedAt: today,
  }) satisfies Position;

const gain = position("eth", "0.1");
const loss = position("bsc", "0.14");
/** A position whose market is unknown. */
const waiting = position("base", "0.1");

const order = (orderId: string, change: Partial<Order>) =>
  ({
    orderId,
    chain: "eth",
    token: address,
    symbol: "MOON/ETH",
    baseSymbol: "MOON",
    wallet: address,
    side: "buy",
    type: "market",
    amount: "0.1",
    status: "filled",
    version: 1,
    createdAt: today,
    updatedAt: today,
    filledAmount: "0.1",
    receivedAmount: "1000",
    averagePrice: "0.0001",
    ...change,
  }) as Order;

const orders = [
  order("filled", {}),
  order("open", {
    side: "sell",
    amount: "500",
    status: "open",
    stage: "waiting",
    reasonCode: "CHAIN_UNAVAILABLE",
  }),
  order("rejected", { status: "rejected", reasonCode: "SLIPPAGE_EXCEEDED" }),
  order("resting", { type: "limit", price: "0.00009", status: "open", stage: "resting" }),
];

const market = (chain: "eth" | "bsc") =>
  ({
    chain,
    token: address,
    symbol: "MOON",
    decimals: 18,
    flags: [],
    revision: 1,
    block: 1,
    asOf: "",
    price: "0.00012",
    priceUsd: "0.312",
    liquidity: "2",
  }) satisfies TerminalState["markets"][number];

const coinPrice = (chain: "eth" | "bsc") =>
  ({ chain, symbol: "ETH", price: "2600", currency: "USD", source: "simulated", asOf: "" }) as const;

const state: TerminalState = {
  orders,
  positions: [gain, loss, waiting],
  wallets: [],
  heads: {},
  settings: {
    eth: { slippage: 1, mevProtection: true, gasPreset: "fast", maxGasPrice: 30, version: 3 } as Settings,
  },
  prices: { eth: coinPrice("eth"), bsc: coinPrice("bsc") },
  markets: [market("eth"), market("bsc")],
};

const frozen: Policy = { tokens: [address], maxPerOrder: "0.25", tradingEnabled: false };

const desk: Desk = {
  terminal: {} as Terminal,
  stream: undefined,
  profile: { username: "alice" } as Profile,
  state,
  isStale: false,
  isOffline: false,
  watched: { tokens: [{ chain: "eth", token: address, symbol: "MOON" }], toggle: ignore },
  offered: [],
  setListed: ignore,
  accountChanges: 0,
  guardNews: [
    {
      of: "policy",
      id: "policy",
      at: today,
      policies: { before: frozen, inForce: frozen, looser: { tokens: "any", tradingEnabled: true } },
    },
    { of: "policy", id: "in force" },
    { of: "export", id: "export", at: today },
    { of: "lock", id: "lock" },
    { of: "programKey", id: "key", key: { keyId: "pk_1", name: "Rebalancer", scopes: ["read", "trade"] } },
  ],
  orderWarnings: new Map(),
  balances: undefined,
  setBalances: ignore,
  notify: ignore,
  placing: {
    isBusy: false,
    unanswered: undefined,
    placed: undefined,
    place: async () => "refused",
    repeat: never,
    leave: ignore,
  },
  ticket: { chain: "eth", token: address, wallet: address, ...freshSide("buy") },
  fillTicket: ignore,
  openTicket: ignore,
  openDiscovery: ignore,
  openNotices: ignore,
  makeWallet: ignore,
  interval: "1m",
  pickInterval: ignore,
};

const sent = {
  chain: "eth",
  wallet: address,
  type: "market",
  side: "buy",
  token: address,
  amount: "0.1",
  minAmountOut: "986.0469",
} as OrderRequest;

const unanswered: Desk = {
  ...desk,
  placing: { ...desk.placing, unanswered: { key: "", body: sent, text: "The buy of MOON", sentAtMs: now } },
};

const State = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <section aria-label={name}>
    <h3>{name}</h3>
    {children}
  </section>
);

function Gallery() {
  return (
    <DeskContext.Provider value={desk}>
      <main class="gallery">
        <h1>Components</h1>
        <Panel title="Controls" area="controls">
          <Form label="Controls" onSubmit={ignore}>
            <Field label="Field" hint="with a hint">
              <input value="0.1" onInput={ignore} />
            </Field>
            <Select
              label="Selection"
              value="one"
              options={[
                ["one", "One"],
                ["two", "Two"],
              ]}
              onPick={ignore}
            />
            <Choice
              label="Side"
              name="gallery-side"
              value="buy"
              options={[
                ["buy", "Buy"],
                ["sell", "Sell"],
              ]}
              onPick={ignore}
            />
            <Swatches name="gallery-colour" value="teal" onPick={ignore} />
            <label class="switch">
              <input type="checkbox" checked onChange={ignore} />
              <span>Switch</span>
            </label>
            <div class="buttons">
              <button type="button">Button</button>
              <button type="button" class="primary">
                Primary
              </button>
              <button type="button" class="primary" disabled>
                Disabled
              </button>
              <button type="button" class="danger">
                Danger
              </button>
              <button type="button" class="plain">
                Plain
              </button>
            </div>
          </Form>
        </Panel>
        <ChartStates />
        <Panel title="Ticket" area="tickets">
          <State name="Unanswered">
            <DeskContext.Provider value={unanswered}>
              <Unanswered />
            </DeskContext.Provider>
          </State>
          <State name="Quote, loading">
            <QuoteView quoted={undefined} tokens={[]} nowMs={now} />
          </State>
          <State name="Quote, fresh">
            <QuoteView quoted={{ quote, quotedMs: now }} tokens={[]} nowMs={now} />
          </State>
          <State name="Quote, costly and old">
            <QuoteView quoted={{ quote: costly, quotedMs: now - 9000 }} tokens={[]} nowMs={now} />
          </State>
        </Panel>
        <TicketFields quote={quote} />
        <Panel title="Token" area="tokens">
          <State name="Inspecting">
            <TokenView chain="eth" token={address} inspection={undefined} />
          </State>
          <State name="Safe">
            <TokenView chain="eth" token={address} inspection={{ token: { ...inspected } as never }} />
          </State>
          <State name="Dangerous">
            <TokenView
              chain="eth"
              token={address}
              inspection={{
                token: { ...inspected, sellable: false, sellTax: 40, flags: ["CANNOT_SELL"] } as never,
              }}
            />
          </State>
          <State name="Unknown">
            <TokenView
              chain="eth"
              token={address}
              inspection={{ problem: { code: "TOKEN_NOT_FOUND", message: "There is no such token" } }}
            />
          </State>
          <State name="No address">
            <TokenView chain="eth" token="moon" inspection={undefined} />
          </State>
        </Panel>
        <Panel title="Records" area="records">
          <State name="Empty">
            <p class="empty">No orders yet. Place one under Trade.</p>
          </State>
          <State name="Loading">
            <p class="empty">Reading the orders …</p>
          </State>
          <State name="Not read">
            <Unread what="history" onRetry={ignore} />
          </State>
          <State name="Facts">
            <Facts
              facts={[
                ["Network fee", "0.00026 ETH"],
                [
                  "Price impact",
                  <span key="impact" class="bad">
                    9.1 %
                  </span>,
                ],
              ]}
            />
          </State>
          <State name="Address">
            <AddressCode address={address} />
          </State>
          <State name="New tokens">
            <NewTokenList tokens={newTokens} nowMs={now} onOpen={ignore} />
          </State>
        </Panel>
        <Panel title="What trades earn" area="earnings">
          <State name="Levels">
            {[100, 40, 1].map((missing) => (
              <LevelBar key={missing} Level={1} xpRemainingForNextLevel={missing} />
            ))}
          </State>
          <State name="Leaderboard">
            <Entries
              entries={[
                { rank: 1, publicName: "W".repeat(32), xp: 1_234_567, Level: 112 },
                { rank: 2, publicName: "Ada", xp: 900, Level: 4, isYou: true },
                { rank: 2, publicName: "\u05d0\u05d1\u05d2", xp: 900, Level: 3 },
              ]}
            />
          </State>
          <State name="Nobody is ranked">
            <Entries entries={[]} />
          </State>
        </Panel>
        {[Positions, Resting, Orders, Fills].map((List) => (
          <div key={List.name} class="list">
            <List />
          </div>
        ))}
        <PortfolioStates />
        <Watchlist />
        <SettingsPanel drafts={{}} setDrafts={ignore} />
        <MessageLog entries={[newEntry("sent", { type: "ping" })]} />
        <Panel title="News" area="news">
          <State name="Stale">
            <StaleBanner
              status={{ status: "waiting", retryInMs: 2000, code: "CLOSED" }}
              heardMs={now - 12_000}
              isShown
              onRetry={ignore}
            />
          </State>
          <State name="Guards">
            <GuardNotices />
          </State>
          <Notices
            notices={[
              { id: 1, text: "The buy of MOON is placed", kind: "good" },
              { id: 2, text: "slippage must be at most 100", kind: "bad" },
            ]}
            onDismiss={ignore}
          />
        </Panel>
      </main>
    </DeskContext.Provider>
  );
}

render(<Gallery />, document.getElementById("console") as HTMLElement);
