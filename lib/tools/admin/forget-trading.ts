import { paginateScan } from "@aws-sdk/lib-dynamodb";
import { tradingChains } from "../../core/chain-facts.ts";
import type { Network } from "../../core/network.ts";
import { itemAt, type Key } from "../../table/keys.ts";
import type { Table } from "../../table/table.ts";
import { write } from "../../table/write.ts";
import { isOfChains } from "../../trading/items/keys.ts";

/** Attributes of an item that name its chain or its order. */
type Found = Key & { lane?: string; chain?: string; orderId?: string; intent?: { chain: string } };

/**
 * Deletes the service's own orders on some chains, with all their items, after these chains have started over. Can be
 * repeated after a crash.
 */
export async function forgetTrading(table: Table, chains: readonly Network[]): Promise<void> {
  const found: Found[] = [];
  const pages = paginateScan(
    { client: table.client },
    {
      TableName: table.name,
      ConsistentRead: true,
      ProjectionExpression: "PK, SK, lane, chain, orderId, intent.chain",
    },
  );
  for await (const { Items = [] } of pages) found.push(...(Items as Found[]).filter(isOfChains));

  const chainsOfOrders = new Map(
    found.map((item) => [orderIdOf(item), chainOf(item)] as const).filter(([, chain]) => chain !== undefined),
  );
  // The orders of some items may be gone already. Such items are deleted once all trading chains are forgotten.
  const isAll = tradingChains.every((chain) => chains.includes(chain));
  const isForgotten = (chain: string | undefined) =>
    chain === undefined ? isAll : chains.some((each) => each === chain);
  const old = found.filter((item) => isForgotten(chainOf(item) ?? chainsOfOrders.get(orderIdOf(item))));
  const byOrder = old.filter((item) => chainOf(item) === undefined);
  const byChain = old.filter((item) => chainOf(item) !== undefined);
  // Deletes items that name their chain last. If a crash interrupts this, they still show to which chains other items
  // belong.
  for (const { PK, SK } of [...byOrder, ...byChain]) await write(table, { kind: "remove", key: { PK, SK } });
}

/** Returns an item's chain, or undefined if only its order names the chain. */
function chainOf(item: Found): string | undefined {
  const { PK, SK, lane, chain, intent } = item;
  switch (itemAt(item)) {
    case "lane":
    case "lanePlace":
    case "job":
    case "slot":
    case "signedBytes":
    case "trigger":
      return PK.split("#")[1];
    case "resting":
    case "signedDay":
    case "keyDay":
    case "watcher":
    case "book":
      return SK.split("#")[1];
    case "walletCutoff":
      return SK.split("#")[0];
    default:
      return chain ?? intent?.chain ?? lane?.split("#")[0];
  }
}

function orderIdOf(item: Found): string | undefined {
  const { PK, SK, orderId } = item;
  switch (itemAt(item)) {
    case "trade":
    case "cancellation":
    case "order":
      return SK.split("#")[1];
    case "resting":
      return SK.split("#").at(-1);
    case "ledger":
    case "tally":
    case "ended":
      return PK.split("#")[1];
    default:
      return orderId;
  }
}
