import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import type { RestData, Stream, Terminal, TerminalState } from "trading-terminal-client";
import type { Interval } from "trading-terminal-client/markets";
import type { NetworkName } from "./controls.tsx";
import { type Failure, failureText } from "./format.ts";
import type { WalletBalances } from "./nothing-to-sell.ts";
import type { Notify } from "./notices.tsx";
import type { Placed, Placing } from "./ticket/placing.ts";
import type { GuardNews } from "./wallets/guard-news.ts";
import type { Watched, WatchedToken } from "./watched.ts";

export type Profile = Extract<RestData<"getUserData">, { tier: string }>;

export type Warning = Placed["warnings"][number];

/** The trade in the ticket. Other panels can fill it in. */
export type TicketEntry = {
  chain: NetworkName;
  side: "buy" | "sell";
  /** Address of the token as typed. */
  token: string;
  /** Address of the wallet that the user picked. If empty, the chain's first wallet trades. */
  wallet: string;
  given: string;
  /** Unit of `given`: coins or tokens, or a percentage of the balance. */
  unit: "amount" | "percent";
};

/** A change of the ticket, or a function that derives it from the ticket's latest content. */
export type TicketChange = Partial<TicketEntry> | ((before: TicketEntry) => Partial<TicketEntry>);

/** State and functions shared by all panels. */
export type Desk = {
  terminal: Terminal;
  /** Stream of the user's data. Undefined before the first connection. */
  stream: Stream | undefined;
  /** Current data of the user. Undefined until all of it has been read. */
  state: TerminalState | undefined;
  /** True if the service has sent nothing for some seconds, so the data may be old. */
  isStale: boolean;
  /** True if the data is stale and the connection has ended. Panels read their data again afterwards. */
  isOffline: boolean;
  ticket: TicketEntry;
  fillTicket: (change: TicketChange) => void;
  /** Fills in the ticket and, on a phone, switches to it. */
  openTicket: (change: Partial<TicketEntry>) => void;
  /** Opens the list of new tokens. */
  openDiscovery: () => void;
  /** Opens Notices, where the user adds devices. */
  openNotices: () => void;
  /** Opens Wallets with the form that makes a wallet on the ticket's chain. */
  makeWallet: () => void;
  /** Interval of the chart. */
  interval: Interval;
  pickInterval: (interval: Interval) => void;
  profile: Profile;
  watched: Watched;
  /** Tokens for a user who watches none. */
  offered: readonly WatchedToken[];
  /** Notes the tokens that the ticket's chain lists. */
  setListed: (tokens: readonly WatchedToken[]) => void;
  /** Counts changes of points, XP and redemptions since the page was opened. */
  accountChanges: number;
  /** Guards of wallets that have become looser or soon will. */
  guardNews: readonly GuardNews[];
  /** Warnings about orders placed on this page, by order. The stream does not repeat them. */
  orderWarnings: ReadonlyMap<string, readonly Warning[]>;
  placing: Placing;
  /** Balances of the ticket's wallet. Undefined until they are read. */
  balances: WalletBalances | undefined;
  setBalances: (read: WalletBalances) => void;
  /** Shows a message for a few seconds. */
  notify: Notify;
};

export const DeskContext = createContext<Desk | undefined>(undefined);

export function useDesk(): Desk {
  const desk = useContext(DeskContext);
  if (desk === undefined) throw new Error("This panel is not inside a desk");
  return desk;
}

/**
 * Reads from the service. Repeats this after a change of the values, a new sign-in or an outage. The signal aborts an
 * outdated request.
 */
export function useReading(read: (signal: AbortSignal) => void, values: readonly unknown[]): void {
  const { terminal, isOffline } = useDesk();
  useEffect(() => {
    if (isOffline) return;
    const reading = new AbortController();
    read(reading.signal);
    return () => reading.abort();
  }, [terminal, isOffline, ...values]);
}

/** Copies text to the clipboard, and shows a notice that begins with the given name. */
export function useCopy() {
  const { notify } = useDesk();
  return async (text: string, name: string) => {
    await navigator.clipboard.writeText(text);
    notify(`${name} is on the clipboard`);
  };
}

/** Calls the service for a button or form. Reports errors and whether a call is in progress. */
export function useCall() {
  const { notify } = useDesk();
  const [isBusy, setBusy] = useState(false);
  async function call<Data>(
    ask: () => Promise<{ data?: Data; error?: Failure | undefined }>,
  ): Promise<Data | undefined> {
    setBusy(true);
    try {
      const { data, error } = await ask();
      if (error) notify(failureText(error), "bad");
      return error ? undefined : data;
    } catch (problem) {
      notify(String(problem), "bad");
      return undefined;
    } finally {
      setBusy(false);
    }
  }
  return { call, isBusy };
}
