import { cursorAt, positionGiven } from "../core/cursor.ts";
import type { Table } from "../table/table.ts";
import { noSuchWallet } from "./wallet.ts";
import type { WalletEvent } from "./wallet-event.ts";
import { readWalletEvents } from "./wallet-events.ts";
import { walletsOfUser } from "./wallet-records.ts";

/**
 * Lists a page of a wallet's events, newest first. Works for retired and removed wallets too.
 *
 * @throws {DomainError} INVALID_REQUEST if the cursor belongs to another list, and WALLET_NOT_FOUND.
 */
export async function listEvents(
  table: Table,
  named: { userID: string; walletId: string },
  { limit, cursor }: { limit: string; cursor?: string | undefined },
): Promise<{ events: WalletEvent[]; cursor?: string }> {
  const { userID, walletId } = named;
  const list = ["wallet events", userID, walletId];
  const after = positionGiven(cursor, list);
  const { events, end } = await readWalletEvents(table, named, { limit: Number(limit), after });
  if (events.length === 0 && !(await walletsOfUser(table, userID)).some(({ _id }) => _id === walletId))
    throw noSuchWallet();
  return { events, ...(end !== undefined && { cursor: cursorAt(end, list) }) };
}
