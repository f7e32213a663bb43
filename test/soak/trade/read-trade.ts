import { Transaction } from "ethers/transaction";
import { forEachConcurrently } from "../../../lib/core/concurrency.ts";
import type { Execution, Order, Position } from "../../../lib/orders/execution.ts";
import type { OrderDetails } from "../../../lib/orders/order-details.ts";
import type { Service } from "../service.ts";
import type { Item } from "../table-audit.ts";
import type { ShownPosition, TradeFacts } from "./facts.ts";
import { repeated } from "./settle.ts";
import { noteShown, type Report, type Trader } from "./traders.ts";

type Page = { orders?: Order[]; positions?: Position[]; cursor?: string };
type Details = OrderDetails & { order: Order };

/** The final data shown to users. */
export type ShownTrade = Omit<TradeFacts, "chains" | "leftovers" | "orders"> & {
  orders: readonly (Details & { userID: string })[];
};

/**
 * Reads the final data that the API shows to users, and the table's marks of sells that found no tokens. Wakes the
 * lanes of wallets that lack tokens.
 */
export async function readTrade(
  service: Service,
  traders: readonly Trader[],
  report: Report,
): Promise<ShownTrade> {
  const orders: (Details & { userID: string })[] = [];
  const positions: ShownPosition[] = [];
  await forEachConcurrently(traders, { concurrency: 6 }, async (trader) => {
    const { id: userID } = trader;
    const listed = await readAll(service, trader, "/api/v2/orders");
    const held = await readAll(service, trader, "/api/v2/positions");
    for (const { positions: page = [] } of held)
      for (const position of page) {
        noteShown(trader, position, report);
        positions.push({ ...position, userID });
      }
    for (const { orders: page = [] } of listed)
      for (const { orderId, ...rest } of page) {
        noteShown(trader, { orderId, ...rest }, report);
        const details = (await read(service, trader, `/api/v2/orders/${orderId}`)) as Details;
        noteShown(trader, details.order, report);
        orders.push({ userID, ...details });
      }
    const own = orders.filter((order) => order.userID === userID).map(({ order }) => order);
    for (const problem of trader.keys.problemsOf(own)) report(`${userID}: ${problem}`);
  });
  const items = await repeated(() => service.scan());
  return { orders, positions, soldOut: soldOutIn(items) };
}

/** Lists parts of all signed transactions in the table, including those never mined. */
export const signedPartsIn = (items: readonly Item[]): string[] =>
  items.flatMap(({ PK, raw }) => {
    if (!PK.startsWith("BYTES#")) return [];
    // Takes all bytes on Solana, where the signature is a transaction's public name.
    if (PK.startsWith("BYTES#sol#")) return [raw as string];
    const { r = "", s = "" } = Transaction.from(raw as string).signature ?? {};
    return [r, s].map((part) => part.slice(2));
  });

const soldOutIn = (items: readonly Item[]): Map<string, number> =>
  new Map(
    items.flatMap(({ SK, ending }) => {
      const { soldOutAt } = (ending ?? {}) as { soldOutAt?: number };
      return SK.startsWith("TRADE#") && soldOutAt !== undefined
        ? [[SK.slice("TRADE#".length), soldOutAt] as const]
        : [];
    }),
  );

const read = (service: Service, trader: Trader, path: string) =>
  repeated(async () => {
    const answer = await service.send(trader, "GET", path);
    if (answer?.status === 200) return (answer.json as { data: unknown }).data;
    throw new Error(`After all faults, ${path} was answered with ${answer?.status} ${answer?.text}`);
  });

async function readAll(service: Service, trader: Trader, path: string): Promise<Page[]> {
  const pages: Page[] = [];
  let cursor: string | undefined;
  do {
    const after = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page = (await read(service, trader, `${path}?limit=100${after}`)) as Page;
    pages.push(page);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return pages;
}

/** Compares each user's stream with the final state. Returns differences as sentences. */
export function problemsOfStreams(traders: readonly Trader[], facts: ShownTrade): string[] {
  return traders.flatMap(({ id, follower, observations }) => {
    if (follower === undefined) return [];
    if (!follower.isReady()) return [`the stream of ${id} is not connected, or has no snapshot`];
    const held = follower.executions();
    const own: Execution[] = [
      ...facts.orders.filter(({ userID }) => userID === id).map(({ order }) => order),
      ...facts.positions.filter(({ userID }) => userID === id),
    ];
    const newest = (each: Execution) => observations.newest().get(idOf(each));
    // Allows later position versions, because reading balances makes lanes look for moved tokens, and positions shrink
    // a minute later.
    const hasMoved = (each: Execution) => {
      const shown = newest(each);
      return shown !== undefined && shown.version > each.version && "movedOut" in shown;
    };
    const settled = own.filter((each) => !hasMoved(each));
    const late = settled.filter((each) => held.get(idOf(each)) !== each.version);
    const newer = settled.filter((each) => (newest(each)?.version ?? 0) > each.version);
    return [
      ...late.map(
        (each) =>
          `the stream of ${id} has version ${held.get(idOf(each))} of ${idOf(each)}, not ${each.version}`,
      ),
      ...newer.map((each) => `${id} was shown a later version of ${idOf(each)} than there is`),
    ];
  });
}

const idOf = (each: Execution) => ("orderId" in each ? each.orderId : each.positionId);
