import { foldedAddress } from "../../chains/families/address.ts";
import { forEachConcurrently } from "../../core/concurrency.ts";
import type { Network } from "../../core/network.ts";
import type { AutomaticFacts } from "../../orders/automatic-buy.ts";
import { type Book, holdingsAfter, openPositionOf } from "../../orders/book.ts";
import { type Execution, isOpen } from "../../orders/execution.ts";
import { type Holding, isDust } from "../../orders/holding.ts";
import { type Preset, type Switches, switchesOf } from "../../orders/preset.ts";
import { mayStillFill } from "../../orders/resting/shown.ts";
import { type AnyOrder, hasEnded } from "../../orders/trade-order.ts";
import { getItems } from "../../table/batch-get.ts";
import { queryRange, type Table } from "../../table/table.ts";
import { addressIn, walletsOf } from "../../table/wallet-keys.ts";
import { find, settingsKeysOf } from "./found-items.ts";
import { keysOfItems } from "./items.ts";
import { executionKey, type OpenName, openExecutionsOf } from "./keys.ts";
import { laneOrdersOf } from "./lane-records.ts";
import { readResting } from "./resting-records.ts";

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

/** Number of lanes that are read at a time. */
const concurrency = 20;

/**
 * Reads what a user has of a token in any wallet, and buys of it by any engine that are open. Asks by key, because a busy
 * trader has tens of thousands of orders and positions.
 */
export async function readOwned(table: Table, held: Held): Promise<Omit<AutomaticFacts, "atMs">> {
  const { userID, chain, token } = held;
  const [wallets, resting, others] = await Promise.all([
    queryRange<object>(table, walletsOf(userID, chain), { attributes: ["PK", "SK"] }),
    readResting(table, userID, chain),
    readOthers(table, held),
  ]);
  const names = wallets.map((item) => ({ ...held, wallet: addressIn(item) }));
  const orders: AnyOrder[] = [];
  await forEachConcurrently(names, { concurrency }, async (lane) => {
    orders.push(...(await laneOrdersOf(table, lane)));
  });
  // Reads books last, because an open order that fills moves there.
  const books = (await find(table, names.map(keysOfItems.book))).all("book", names);
  const open = [
    ...resting.filter(mayStillFill).map(({ mandate }) => mandate),
    ...orders.filter((order) => !hasEnded(order)).map(({ intent }) => intent),
  ];
  const isBuy = (of: (typeof open)[number]) =>
    of.userID === userID && of.side === "buy" && of.token === token;
  return {
    positionId: books.map(heldIn).find(Boolean) ?? others.positionId,
    isBuying: others.isBuying || open.some(isBuy),
  };
}

/** Returns the id of the open position, unless it is dust. */
function heldIn(book: Book): string | undefined {
  const last = holdingsAfter(book.base, book.events, book.nextOrdinal).at(-1) as Holding;
  return isDust(last) ? undefined : openPositionOf(book);
}

/** Reads what other engines say. The list of names is only a hint, since an engine may correct a record's token. */
async function readOthers(
  table: Table,
  { userID, chain, token }: Held,
): Promise<Omit<AutomaticFacts, "atMs">> {
  const folded = foldedAddress(chain, token);
  const names = await queryRange<OpenName>(table, openExecutionsOf({ userID, chain, token: folded }));
  const keys = names.map(({ kind, id }) => executionKey(userID, kind, id));
  const open = (await getItems<Execution>(table, keys)).filter(
    (each) => isOpen(each) && each.chain === chain && foldedAddress(chain, each.token ?? "") === folded,
  );
  return {
    positionId: open.flatMap((each) => ("positionId" in each ? [each.positionId] : []))[0],
    isBuying: open.some((each) => "side" in each && each.side === "buy"),
  };
}
