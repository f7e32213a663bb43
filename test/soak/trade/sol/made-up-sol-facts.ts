import { wsolMint } from "../../../../lib/chains/sol/calls/addresses.ts";
import type { ShownPosition } from "../facts.ts";
import type { ShownSolOrder, SolFacts, SolTradeFacts, SolTransaction } from "./sol-facts.ts";

export const moon = "MoonMint";
export const wallet = "W";
export const deadline = "2026-11-21T20:02:00.000Z";
export const seconds = (text: string): number => Date.parse(text) / 1000;

const coin = 10n ** 9n;
const moons = 10n ** 6n;
const markerRent = 897_840n;
const tokenRent = 2_039_280n;

export const landed = (hash: string, changes: Partial<SolTransaction>): SolTransaction => ({
  hash,
  wallet,
  slot: 1,
  time: seconds("2026-11-21T20:01:00.000Z"),
  purpose: "swap",
  isOk: true,
  fee: 5000n,
  baseFee: 5000n,
  coins: 0n,
  toPools: 0n,
  rent: 0n,
  donated: 0n,
  tokens: new Map(),
  held: new Map(),
  ...changes,
});

/**
 * Transactions that buy 9,000 MOON for a coin on the second attempt, clear a second buy, move 1,000 MOON away and sell
 * the rest for 0.8 coins. A stranger has sent coins to an account of the sell.
 */
export const transactions = [
  landed("failed", { slot: 1, orderId: "buy", isOk: false, fee: 6000n, coins: -6000n }),
  landed("bought", {
    slot: 2,
    orderId: "buy",
    fee: 7000n,
    toPools: coin,
    rent: markerRent + tokenRent,
    coins: -coin - 7000n - markerRent - tokenRent,
    tokens: new Map([[moon, 9000n * moons]]),
  }),
  landed("cleared", {
    slot: 3,
    orderId: "cleared",
    purpose: "clear",
    rent: markerRent,
    coins: -5000n - markerRent,
  }),
  landed("moved", {
    slot: 4,
    purpose: "foreign",
    coins: -5000n,
    tokens: new Map([[moon, -1000n * moons]]),
  }),
  landed("sold", {
    slot: 5,
    orderId: "sell",
    fee: 8000n,
    toPools: (-8n * coin) / 10n,
    rent: markerRent,
    donated: 9n,
    coins: (8n * coin) / 10n - 8000n - markerRent + 9n,
    tokens: new Map([[moon, -8000n * moons]]),
    held: new Map([[moon, 8000n * moons]]),
  }),
] as const;

const spent = transactions.reduce((total, { coins }) => total + coins, 0n);

export const account = { address: "A", wallet, mint: moon, isAssociated: true };
export const wrapped = { ...account, mint: wsolMint };

export const chain: SolFacts = {
  wallets: new Map([
    [
      wallet,
      {
        before: new Map([["native", 5n * coin]]),
        after: new Map([
          ["native", 5n * coin + spent],
          [moon, 0n],
        ]),
      },
    ],
  ]),
  transactions,
  accounts: [account],
  marked: new Set(["buy", "cleared", "sell"]),
};

export const attempt = (txHash: string, changes: object = {}) =>
  ({ purpose: "swap", txHash, outcome: "mined", priorityFee: "0", tip: "0", ...changes }) as never;

type Changes = Partial<Omit<ShownSolOrder, "order">> & { order?: Partial<ShownSolOrder["order"]> };

const shown = (orderId: string, { order, ...rest }: Changes): ShownSolOrder => ({
  userID: "ann",
  order: {
    orderId,
    wallet,
    chain: "sol",
    symbol: "MOON/SOL",
    side: "buy",
    type: "market",
    status: "filled",
    stage: "done",
    settled: true,
    token: moon,
    amount: "1",
    filledAmount: "0",
    minAmountOut: "8900",
    networkFee: "0",
    validUntil: deadline,
    createdAt: deadline,
    updatedAt: deadline,
    version: 3,
    ...order,
  },
  budget: 5000n,
  attempts: [],
  ...rest,
});

export const report = (given: string, received: string, changes: object = {}) =>
  ({
    spent: { amount: given },
    received: { amount: received },
    networkFee: { total: "0.000008" },
    rent: "0.00089784",
    block: 5,
    ...changes,
  }) as never;

export const [bought, cleared, sold, soldOut] = [
  shown("buy", {
    order: {
      filledAmount: "1",
      receivedAmount: "9000",
      networkFee: "0.000013",
      rent: "0.00293712",
      txHash: "bought",
    },
    attempts: [
      attempt("failed", { outcome: "reverted", priorityFee: "0.000001" }),
      attempt("bought", { priorityFee: "0.000001", tip: "0.000001" }),
      attempt("lost", { outcome: "expired", priorityFee: "0.000002" }),
    ],
    report: report("1", "9000", { networkFee: { total: "0.000013" }, rent: "0.00293712", block: 2 }),
  }),
  shown("cleared", {
    order: {
      status: "cancelled",
      reasonCode: "CANCELLED_BY_USER",
      networkFee: "0.000005",
      rent: "0.00089784",
    },
    attempts: [attempt("gone", { outcome: "expired" }), attempt("cleared", { purpose: "clear" })],
  }),
  shown("sell", {
    order: {
      side: "sell",
      amount: "9000",
      filledAmount: "8000",
      receivedAmount: "0.8",
      minAmountOut: "0.7",
      networkFee: "0.000008",
      rent: "0.00089784",
      txHash: "sold",
    },
    attempts: [attempt("sold")],
    report: report("8000", "0.8"),
  }),
  shown("sold-out", {
    order: { side: "sell", amount: "1", status: "rejected", reasonCode: "INSUFFICIENT_BALANCE" },
  }),
] as const;

export const position: ShownPosition = {
  userID: "ann",
  positionId: "p",
  wallet,
  chain: "sol",
  symbol: "MOON/SOL",
  token: moon,
  status: "closed",
  amount: "0",
  averageEntryPrice: "0",
  cost: "0",
  movedOut: "1000",
  // One coin bought 9,000 MOON, of which 1,000 were moved away. The other 8,000 cost 1 - floor(1000 / 9000) coins.
  realizedPnl: "-0.088888889",
  networkFees: "0.000021",
  openedAt: "2026-11-21T20:01:00.000Z",
  updatedAt: deadline,
  settled: true,
  version: 4,
};

export const good: SolTradeFacts = {
  orders: [bought, cleared, sold, soldOut],
  positions: [position],
  // The order failed in the slot of the successful sell, which came first.
  soldOut: new Map([["sold-out", 5]]),
  chain,
};

export const withOrder = (old: ShownSolOrder, changes: Changes): SolTradeFacts => ({
  ...good,
  orders: good.orders.map((each) =>
    each === old ? { ...each, ...changes, order: { ...each.order, ...changes.order } } : each,
  ),
});
export const withPosition = (changes: Partial<ShownPosition>): SolTradeFacts => ({
  ...good,
  positions: [{ ...position, ...changes }],
});
export const withChain = (changes: Partial<SolFacts>): SolTradeFacts => ({
  ...good,
  chain: { ...chain, ...changes },
});
export const withTransaction = (hash: string, changes: Partial<SolTransaction>): SolTradeFacts =>
  withChain({
    transactions: transactions.map((each) => (each.hash === hash ? { ...each, ...changes } : each)),
  });
export const withBalance = (token: string, units: bigint): SolTradeFacts =>
  withChain({
    wallets: new Map(
      [...chain.wallets].map(([name, { before, after }]) => [
        name,
        { before, after: new Map([...after, [token, units]]) },
      ]),
    ),
  });
