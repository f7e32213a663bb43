import { randomUUID } from "node:crypto";
import type { TestSurfnet } from "trading-terminal-devnet/sol/test-surfnet";
import type { SolConfiguration } from "../../../lib/chains/sol/rules/configuration.ts";
import type { Sol } from "../../../lib/chains/sol/rules/family.ts";
import type { Order } from "../../../lib/orders/execution.ts";
import type { TradeOrder } from "../../../lib/orders/trade-order.ts";
import type { PlaceOrderRequest } from "../../../lib/orders/trade-request.ts";
import type { Table } from "../../../lib/table/table.ts";
import { cancelOrder } from "../../../lib/trading/cancel-order.ts";
import { readOrder } from "../../../lib/trading/items/views.ts";
import { placeOrder } from "../../../lib/trading/place-order.ts";
import { quoteOrder } from "../../../lib/trading/quote-order.ts";
import { readBalances } from "../../../lib/trading/read-balances.ts";
import { putWallet } from "../../support/placed-orders.ts";
import type { Keys } from "../../support/signing.ts";
import { solChainsOf, type TestSolHost } from "../../support/sol-reader.ts";
import { holdTokens } from "../../support/sol-tokens.ts";

type Asked = Partial<PlaceOrderRequest>;
export type TraderOptions = {
  /** The wallet's coins. */
  lamports?: bigint;
  /** The wallet's MOON. */
  units?: bigint;
  configuration?: Partial<SolConfiguration>;
};

type Setup = {
  table: Table;
  chain: TestSurfnet;
  hosts: readonly TestSolHost[];
  macs: Keys["macs"];
};

/** Creates a user with a wallet of ten coins, who trades through the real use cases. */
export async function newSolTrader(
  { table, chain, hosts, macs }: Setup,
  { lamports = 10n ** 10n, units = 0n, configuration = {} }: TraderOptions,
) {
  const userID = randomUUID();
  const moon = chain.deployment.tokens.MOON.mint;
  const { address: wallet } = await chain.newWallet(lamports);
  if (units > 0n) await holdTokens(chain, wallet, chain.deployment.tokens.MOON, units);
  const lane = { chain: "sol", wallet } as const;
  await putWallet(table, lane, userID);
  const chains = await solChainsOf(chain, hosts, { payer: chain.deployment.payer, ...configuration });
  const woken: unknown[] = [];
  const deps = {
    table,
    tableId: "table",
    chains,
    macs,
    lossSignIn: false,
    startTriggers: () => undefined,
    wake: (ask: unknown) => {
      woken.push(ask);
      return undefined;
    },
  };
  const bodyOf = (asked: Asked): PlaceOrderRequest => ({
    ...lane,
    type: "market",
    side: "buy",
    token: moon,
    ...(asked.percent === undefined && { amount: "1" }),
    ...asked,
  });
  /** Places an order with a new key, by default to buy MOON for one coin. Null sends no key. */
  const ask = (asked: Asked = {}, key: string | null = randomUUID()) =>
    placeOrder(deps, {
      userID,
      now: new Date(),
      signedInAt: undefined,
      key: key ?? undefined,
      body: bodyOf(asked),
    });
  return {
    userID,
    wallet,
    lane,
    ask,
    woken,
    async place(asked: Asked = {}, key?: string): Promise<Order> {
      const placed = await ask(asked, key);
      if (!("order" in placed)) throw new Error("The order was not placed");
      return placed.order;
    },
    /** Returns the code of the refusal. */
    refusalOf: (asked: Asked) =>
      ask(asked).then(
        () => "placed",
        ({ code, details }) => [code, details?.field].filter(Boolean).join(" "),
      ),
    async quote(asked: Asked = {}) {
      const { type: _, dryRun: __, validForSeconds: ___, ...body } = bodyOf(asked);
      return (
        await quoteOrder(
          { table, chains, lossSignIn: false, reportMissed: () => undefined },
          { userID, now: new Date(), signedInAt: undefined, body },
        )
      ).quote;
    },
    stored: async (orderId: string) => (await readOrder(table, userID, orderId)).order as TradeOrder<Sol>,
    balances: async () =>
      (
        await readBalances(
          { table, chains, addressesOf: async () => [wallet], reportMissed: () => undefined },
          { userID, now: new Date(), asked: { ...lane, token: moon } },
        )
      ).balances,
    cancel: (orderId: string) => cancelOrder({ table, wake: deps.wake }, userID, orderId),
  };
}
