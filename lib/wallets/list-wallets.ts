import { cursorAt, positionGiven } from "../core/cursor.ts";
import type { Network } from "../core/network.ts";
import type { Table } from "../table/table.ts";
import { activeBySlot, type ListedWallet, listed, versionedWallet } from "./wallet.ts";
import { walletsOfUser } from "./wallet-records.ts";

type PageRequest = {
  network?: Network | undefined;
  /** Maximum number of wallets on the page, a whole number as text. */
  limit?: string | undefined;
  cursor?: string | undefined;
};

const defaultLimit = 50;

/**
 * Lists the user's wallets by slot: all of them, or a page if the request has a parameter. Slots never change, so
 * wallets added or retired in the meantime do not shift the pages. Only wallets on a page include their versions.
 *
 * @throws {DomainError} INVALID_REQUEST if the cursor belongs to another list.
 */
export async function listWallets(
  table: Table,
  userID: string,
  { network, limit, cursor }: PageRequest,
  onFault?: (error: Error) => void,
): Promise<{ wallets: (ListedWallet & { version?: number })[]; cursor?: string }> {
  const list = ["wallets", userID, network ?? null];
  const after = Number(positionGiven(cursor, list) ?? 0);
  const all = await walletsOfUser(table, userID, onFault);
  if ([network, limit, cursor].every((parameter) => parameter === undefined)) return { wallets: listed(all) };
  const left = activeBySlot(all).filter(
    (wallet) => wallet.slot > after && (network === undefined || wallet.network === network),
  );
  const page = left.slice(0, Number(limit ?? defaultLimit));
  const last = page.at(-1);
  return {
    wallets: page.map(versionedWallet),
    ...(last !== undefined && left.length > page.length && { cursor: cursorAt(`${last.slot}`, list) }),
  };
}
