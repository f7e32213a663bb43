import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import type { ChainFacts, MinedTransaction, ShownOrder, ShownPosition, TradeFacts } from "./facts.ts";

export const { usdx } = localAddresses;
export const wallet = "0xA";
const coin = 10n ** 18n;
const usd = 10n ** 6n;
export const deadline = "2026-11-21T20:02:00.000Z";
const seconds = (text: string) => Date.parse(text) / 1000;

export const mined = (nonce: number, changes: Partial<MinedTransaction>): MinedTransaction => ({
  hash: `0x${nonce}`,
  wallet,
  nonce,
  time: seconds("2026-11-21T20:01:00.000Z"),
  purpose: "swap",
  isForeign: false,
  isOk: true,
  fee: 1n,
  tokens: new Map(),
  wrapped: 0n,
  unwrapped: 0n,
  ...changes,
});

/**
 * Transactions that buy 2,600 USDX for a coin, clear a second buy, move 600 USDX away and sell the rest for half a
 * coin.
 */
export const transactions = [
  mined(0, { tokens: new Map([[usdx, 2600n * usd]]), wrapped: coin }),
  mined(1, { purpose: "clear", fee: 2n }),
  mined(2, { isForeign: true, tokens: new Map([[usdx, -600n * usd]]), fee: 7n }),
  mined(3, { purpose: "approve", fee: 3n }),
  mined(4, { tokens: new Map([[usdx, -2000n * usd]]), unwrapped: coin / 2n, fee: 4n }),
];

export const chain: ChainFacts = {
  accounts: new Map([
    [
      wallet,
      {
        before: new Map([
          ["native", 10n * coin],
          [usdx, 0n],
        ]),
        after: new Map([
          ["native", 10n * coin - coin / 2n - 1n - 2n - 7n - 3n - 4n],
          [usdx, 0n],
        ]),
        nonce: { latest: 5, pending: 5 },
      },
    ],
  ]),
  transactions,
  stray: 0n,
  allowances: [],
};

type Changes = Partial<Omit<ShownOrder, "order">> & { order?: Partial<ShownOrder["order"]> };

export const attempt = (nonce: number, changes: object = {}) =>
  ({ purpose: "swap", nonce, txHash: `0x${nonce}`, outcome: "mined", ...changes }) as never;

const shown = (orderId: string, { order, ...rest }: Changes): ShownOrder => ({
  userID: "ann",
  order: {
    orderId,
    wallet,
    chain: "eth",
    symbol: "USDX/ETH",
    side: "buy",
    type: "market",
    status: "filled",
    stage: "done",
    settled: true,
    token: usdx,
    amount: "1",
    filledAmount: "0",
    minAmountOut: "2500",
    networkFee: "0",
    validUntil: deadline,
    createdAt: deadline,
    updatedAt: deadline,
    version: 3,
    ...order,
  },
  attempts: [],
  ...rest,
});

export const report = (spent: string, received: string, total: string) =>
  ({ spent: { amount: spent }, received: { amount: received }, networkFee: { total } }) as never;

export const [bought, cleared, sold, soldOut] = [
  shown("buy", {
    order: {
      filledAmount: "1",
      receivedAmount: "2600",
      networkFee: "0.000000000000000001",
      txHash: "0x0",
    },
    attempts: [attempt(0, { txHash: "0xold", outcome: "replaced" }), attempt(0)],
    report: report("1", "2600", "0.000000000000000001"),
  }),
  shown("cleared", {
    order: { status: "cancelled", reasonCode: "CANCELLED_BY_USER", networkFee: "0.000000000000000002" },
    attempts: [attempt(1, { txHash: "0xgone", outcome: "replaced" }), attempt(1, { purpose: "clear" })],
  }),
  shown("sell", {
    order: {
      side: "sell",
      amount: "2600",
      filledAmount: "2000",
      receivedAmount: "0.5",
      minAmountOut: "0.4",
      networkFee: "0.000000000000000007",
      txHash: "0x4",
    },
    attempts: [attempt(3, { purpose: "approve" }), attempt(4)],
    report: report("2000", "0.5", "0.000000000000000007"),
  }),
  shown("sold-out", {
    order: { side: "sell", amount: "1", status: "rejected", reasonCode: "INSUFFICIENT_BALANCE" },
  }),
] as const;

export const position: ShownPosition = {
  userID: "ann",
  positionId: "p",
  wallet,
  chain: "eth",
  symbol: "USDX/ETH",
  status: "closed",
  amount: "0",
  averageEntryPrice: "0",
  cost: "0",
  // One coin bought 2,600 USDX, of which 600 were moved away. The other 2,000 cost 1 - floor(600 / 2600) coins.
  realizedPnl: "-0.269230769230769231",
  networkFees: "0.000000000000000008",
  movedOut: "600",
  openedAt: "2026-11-21T20:01:00.000Z",
  updatedAt: deadline,
  settled: true,
  version: 4,
  token: usdx,
};

export const good: TradeFacts = {
  orders: [bought, cleared, sold, soldOut],
  positions: [position],
  soldOut: new Map([["sold-out", 5]]),
  chains: new Map([["eth", chain]]),
  leftovers: [],
};

export const withOrder = (old: ShownOrder, changes: Changes): TradeFacts => ({
  ...good,
  orders: good.orders.map((each) =>
    each === old ? { ...each, ...changes, order: { ...each.order, ...changes.order } } : each,
  ),
});
export const withPosition = (changes: Partial<ShownPosition>): TradeFacts => ({
  ...good,
  positions: [{ ...position, ...changes }],
});
export const withChain = (changes: Partial<ChainFacts>): TradeFacts => ({
  ...good,
  chains: new Map([["eth", { ...chain, ...changes }]]),
});
export const withTransaction = (nonce: number, changes: Partial<MinedTransaction>) =>
  withChain({
    transactions: transactions.map((each) => (each.nonce === nonce ? { ...each, ...changes } : each)),
  });
export const withAccount = (changes: object) =>
  withChain({
    accounts: new Map([...chain.accounts].map(([name, each]) => [name, { ...each, ...changes }])),
  });
export const fillAgain = mined(5, { tokens: new Map([[usdx, 2600n * usd]]), wrapped: coin, fee: 0n });
