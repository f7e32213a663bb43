import type { Evm } from "../../lib/chains/evm/rules/family.ts";
import type { EvmIntent } from "../../lib/chains/evm/rules/intent.ts";
import type { LaneKey } from "../../lib/orders/intent.ts";
import type { Items, TradeStep } from "../../lib/orders/table-step.ts";
import type { TradeOrder } from "../../lib/orders/trade-order.ts";
import type { PolicyRecord } from "../../lib/orders/wallet-policy.ts";
import type { Table } from "../../lib/table/table.ts";
import { sealedKeyKey, walletKey } from "../../lib/table/wallet-keys.ts";
import { packed } from "../../lib/trading/items/items.ts";
import { policyKey } from "../../lib/trading/items/keys.ts";
import { putItems } from "./items.ts";
import { intent, tradeOrder } from "./trading.ts";

let count = 0;

/** Creates an order of a new wallet and a new user, unless the changes name them. */
export function newOrder(
  changes: Partial<EvmIntent> = {},
  createdAt = "2026-11-21T20:00:00.000Z",
): TradeOrder<Evm> {
  const own = intent({
    wallet: `0x${++count}`,
    orderId: `order${count}`,
    userID: `user${count}`,
    ...changes,
  });
  return tradeOrder({ intent: own, placed: { ...tradeOrder().placed, createdAt } });
}

export const laneOf = ({ intent: { chain, wallet } }: TradeOrder<Evm>): LaneKey => ({ chain, wallet });

export const jobOf = ({
  intent: { chain, wallet, userID, orderId, token },
}: TradeOrder<Evm>): Items["job"] => ({
  chain,
  wallet,
  userID,
  orderId,
  token,
});

/** Places an order under the idempotency key `key` plus its id. */
export function placing(item: TradeOrder<Evm>): TradeStep {
  const { userID, orderId } = item.intent;
  return [
    {
      kind: "put",
      of: "key",
      item: { userID, key: `key ${orderId}`, orderId, fingerprint: "body" },
      when: "absent",
    },
    { kind: "put", of: "order", item, when: "absent" },
    { kind: "put", of: "job", item: jobOf(item), when: "absent" },
    { kind: "change", of: "lane", item: item.intent, add: { jobs: 1 } },
  ];
}

/** Writes a policy with the rights of the function that sets policies. */
export const putPolicy = (table: Table, record: PolicyRecord) =>
  putItems(table, [{ ...policyKey(record), ...(packed(record) as object) }]);

export const putWallet = (table: Table, { chain, wallet }: LaneKey, userID: string, changes: object = {}) =>
  putItems(table, [{ ...walletKey(userID, chain, wallet), ...changes }]);

export const putKey = (table: Table, { chain, wallet }: LaneKey, userID: string, sealed: object) =>
  putItems(table, [{ ...sealedKeyKey(userID, chain, wallet), ...sealed }]);
