import { foldedAddress } from "../../chains/families/address.ts";
import type { ExecutionKind } from "../../core/execution-words.ts";
import type { Network } from "../../core/network.ts";
import type { AutomaticFacts } from "../../orders/automatic-buy.ts";
import { holdingsAfter } from "../../orders/book.ts";
import type { Order, Position } from "../../orders/execution.ts";
import { type Holding, isDust } from "../../orders/holding.ts";
import { type Preset, type Switches, switchesOf } from "../../orders/preset.ts";
import { queryRange, type Table } from "../../table/table.ts";
import { find, settingsKeysOf } from "./found-items.ts";
import { keysOfItems } from "./items.ts";
import { executionsOf } from "./keys.ts";

type Held = { userID: string; chain: Network; token: string };

/** Reads, with one call, whether and how the service may buy for a user, and whether the key was used for that. */
export async function readInstructions(
  table: Table,
  { userID, chain, key }: { userID: string; chain: Network; key: string },
): Promise<{ isUsed: boolean; switches: Switches; preset: Preset | undefined }> {
  const used = keysOfItems.key({ userID, key });
  const keys = [used, keysOfItems.preset({ userID, chain }), ...settingsKeysOf(chain, userID)];
  const found = await find(table, keys);
  const preset = found.get("preset", { userID, chain })?.preset;
  const switches = switchesOf(chain, found.storedSettings(chain, userID), preset);
  return { isUsed: found.has(used), switches, preset };
}

/** Reads, with two calls, what a user has of a token in any wallet, and buys of it by any engine that are open. */
export async function readOwned(table: Table, held: Held): Promise<Omit<AutomaticFacts, "atMs">> {
  const [positions, orders] = await Promise.all([
    readOpen<Position>(table, "position", held),
    readOpen<Order>(table, "order", held),
  ]);
  const named = positions.map(({ wallet }) => ({ ...held, wallet }));
  const books = await find(table, named.map(keysOfItems.book));
  const position = positions.find(({ wallet }) => {
    const book = books.get("book", { ...held, wallet });
    const last = book && holdingsAfter(book.base, book.events, book.nextOrdinal).at(-1);
    return last === undefined || !isDust(last as Holding);
  });
  return { positionId: position?.positionId, isBuying: orders.some(({ side }) => side === "buy") };
}

/** Other engines may write addresses in lower case. */
async function readOpen<Open extends Order | Position>(
  table: Table,
  kind: ExecutionKind,
  { userID, chain, token }: Held,
): Promise<Open[]> {
  const values = {
    ":chain": chain,
    ":token": token,
    ":folded": foldedAddress(chain, token),
    ":open": "open",
    ":partly": "partially_filled",
  };
  const FilterExpression = "#chain = :chain AND #token IN (:token, :folded) AND #status IN (:open, :partly)";
  const ExpressionAttributeNames = { "#chain": "chain", "#token": "token", "#status": "status" };
  const parameters = { FilterExpression, ExpressionAttributeNames };
  return queryRange<Open>(table, executionsOf(userID, kind), { filter: { parameters, values } });
}
