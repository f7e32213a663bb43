import { randomUUID } from "node:crypto";
import type { Write } from "../table/step.ts";
import { type PageOptions, queryPage, type Table } from "../table/table.ts";
import { walletEventKey, walletEventsOf } from "./item-keys.ts";
import type { WalletEvent, WalletEventType } from "./wallet-event.ts";

type NewEvent = {
  userID: string;
  walletId: string;
  type: WalletEventType;
  now: Date;
  details?: Readonly<Record<string, unknown>>;
};

/** Builds the write that records an event for good. It belongs in the transaction that makes the change. */
export const eventWrite = ({ userID, walletId, type, now, details }: NewEvent): Write => ({
  kind: "put",
  key: walletEventKey(userID, walletId, now, randomUUID()),
  item: { ...details, userID, walletId, type, time: now.toISOString() },
});

/** Reads a page of a wallet's events, newest first. */
export async function readWalletEvents(
  table: Table,
  { userID, walletId }: { userID: string; walletId: string },
  options: PageOptions,
): Promise<{ events: WalletEvent[]; end?: string }> {
  const { items: events, ...page } = await queryPage<WalletEvent>(
    table,
    walletEventsOf(userID, walletId),
    options,
  );
  return { events, ...page };
}
