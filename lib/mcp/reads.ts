import type { Terminal } from "trading-terminal-client";
import { type Answer, answerOf, problemOf } from "./answers.ts";
import { chain, choice, decimal, type Fields, number, optional, text, token, wallet } from "./fields.ts";

export type Tool = {
  description: string;
  fields: Fields;
  /** True for tools that change nothing. */
  isRead: boolean;
  /** Runs the tool. Its arguments have been checked against its fields. */
  run: (terminal: Terminal, values: never) => Promise<Answer>;
};

const orderId = text("Id of the order");
const most = optional(number("The most to list", [1, 100]));

type Read = { description: string; fields: Fields; run: Tool["run"] };

/** Tools that change nothing. */
const reads: Readonly<Record<string, Read>> = {
  list_wallets: {
    description: "Lists the user's wallets with their addresses, by chain (`network`). Call this first.",
    fields: { network: optional(chain) },
    run: async (terminal, query) => answerOf(await terminal.listWalletsV2({ query })),
  },
  list_balances: {
    description: "Shows what the wallets hold on a chain; `available` is what open orders leave.",
    fields: { chain, wallet: optional(wallet), token: optional(token) },
    run: async (terminal, query) => answerOf(await terminal.readBalances({ query })),
  },
  find_tokens: {
    description:
      "Finds tokens by name, symbol or address; without a query, lists the known ones. " +
      "Names are not unique: IMPERSONATES in `flags` marks a token that looks like another one.",
    fields: { chain: optional(chain), query: optional(text("Name, symbol or address")) },
    run: async (terminal, query) => answerOf(await terminal.listTokens({ query })),
  },
  inspect_token: {
    description:
      "Tries to buy and sell a token in a simulation: whether it can be sold, taxes, flags and pools.",
    fields: { chain, token },
    run: async (terminal, path) => answerOf(await terminal.inspectToken({ path })),
  },
  get_market: {
    description: "Shows a token's price, its change, volume and depth.",
    fields: { chain, token },
    run: async (terminal, path) => answerOf(await terminal.getMarket({ path })),
  },
  quote: {
    description:
      "Previews a trade at the prices of one host. It gives no quoteId: to trade, call buy or sell without one.",
    fields: {
      chain,
      token,
      side: choice(["buy", "sell"], "Whether to buy or to sell the token"),
      amount: decimal("Coin to spend, or tokens to sell"),
      wallet: optional(wallet),
    },
    run: async (terminal, body) => answerOf(await terminal.quoteOrder({ body })),
  },
  list_orders: {
    description: "Lists orders, newest first. The status `resting` lists those that wait for a price.",
    fields: {
      status: optional(
        choice(
          ["open", "partially_filled", "filled", "cancelled", "rejected", "expired", "resting"],
          "Status",
        ),
      ),
      chain: optional(chain),
      wallet: optional(wallet),
      token: optional(token),
      limit: most,
    },
    run: async (terminal, query: object) =>
      answerOf(await terminal.listOrders({ query: { ...usualLimit(query), ...query } })),
  },
  get_order: {
    description: "Shows an order with its transactions, and what a resting order has fired.",
    fields: { orderId },
    run: async (terminal, path) => answerOf(await terminal.getOrder({ path })),
  },
  wait_for_order: {
    description:
      "Waits until an order has ended, and shows it: look at `status`, since it may have ended without a fill. " +
      "If it takes longer, call again.",
    fields: { orderId, seconds: optional(number("How long to wait; 30 by default", [1, 50])) },
    run: waited,
  },
  list_positions: {
    description:
      "Lists positions with their worth and profit (`netUnrealizedPnl`, `netRealizedPnl`) in coin.",
    fields: { status: optional(choice(["open", "closed"], "Status")), chain: optional(chain), limit: most },
    run: async (terminal, query: object) =>
      answerOf(await terminal.listPositions({ query: { valued: true, limit: 20, ...query } })),
  },
  get_limits: {
    description:
      "Shows the limits that the user has set for a wallet. The key can have tighter ones: KEY_LIMIT.",
    fields: { chain, wallet },
    run: limits,
  },
};

/** A list of resting orders has no pages, and so no limit. */
const usualLimit = ({ status }: { status?: string }) => (status === "resting" ? {} : { limit: 20 });

async function waited(terminal: Terminal, { orderId, seconds = 30 }: { orderId: string; seconds?: number }) {
  try {
    return {
      data: { order: await terminal.waitForOrder(orderId, { until: "filled", timeoutMs: seconds * 1000 }) },
    };
  } catch {
    // Shows the order as it is, which says why if the time is not the reason.
    return answerOf(await terminal.getOrder({ path: { orderId } }));
  }
}

async function limits(terminal: Terminal, values: { chain: "eth"; wallet: string }): Promise<Answer> {
  const { data, error, headers } = await terminal.listWalletsV2({ query: { network: values.chain } });
  if (error) return problemOf(error);
  const same = (address: string) => address.toLowerCase() === values.wallet.toLowerCase();
  const found = data.wallets.find(({ generatedWalletAddress }) => same(generatedWalletAddress));
  if (found === undefined) {
    const message = `The user has no wallet ${values.wallet} on ${values.chain}`;
    return problemOf({ code: "WALLET_NOT_FOUND", message, field: "wallet" });
  }
  const policy = await terminal.getWalletPolicy({ path: { walletId: found._id } });
  if (policy.error) return problemOf(policy.error);
  return { data: { ...policy.data, requests: headers.get("RateLimit-Policy") } };
}

/** Tools that only stop existing orders, and so need no quote. */
const cancels: Readonly<Record<string, Read>> = {
  cancel_order: {
    description: "Cancels an open or resting order at once. Repeating it is harmless.",
    fields: { orderId },
    run: async (terminal, path) => answerOf(await terminal.cancelOrder({ path })),
  },
  cancel_all_orders: {
    description:
      "Cancels all open and resting orders at once: all, those of a chain, or those of a wallet there.",
    fields: { chain: optional(chain), wallet: optional(wallet) },
    run: async (terminal, body) => answerOf(await terminal.cancelOrders({ body })),
  },
};

const marked = (tools: Readonly<Record<string, Read>>, isRead: boolean) =>
  Object.entries(tools).map(([name, tool]) => [name, { ...tool, isRead }] as const);

/** Tools that spend nothing. */
export const freeTools: Readonly<Record<string, Tool>> = Object.fromEntries([
  ...marked(reads, true),
  ...marked(cancels, false),
]);
