import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import type { RestData, Stream, Terminal, TerminalState } from "trading-terminal-client";
import type { NetworkName } from "./controls.tsx";
import type { Explorers } from "./explorers.ts";
import { type Failure, failureText } from "./format.ts";
import type { Placed, Placing } from "./ticket/placing.ts";
import type { GuardNews } from "./wallets/guard-news.ts";

export type Profile = Extract<RestData<"getUserData">, { tier: string }>;

export type Warning = Placed["warnings"][number];

/** The trade in the ticket. Other panels fill it in. */
export type TicketEntry = {
  chain: NetworkName;
  side: "buy" | "sell";
  /** The token's address as typed. */
  token: string;
  /** The address of the wallet that the user picked. Empty for the first one on the chain. */
  wallet: string;
  given: string;
  /** The unit of `given`: coins or tokens, or a percentage of the balance. */
  unit: "amount" | "percent";
};

/** A change, or a function that derives it from what stands in the ticket by then. */
export type TicketChange = Partial<TicketEntry> | ((before: TicketEntry) => Partial<TicketEntry>);

/** State and functions that all panels share. */
export type Desk = {
  terminal: Terminal;
  /** Undefined before the first connection. */
  stream: Stream | undefined;
  /** The current data of the user. Undefined until all of it has been read. */
  state: TerminalState | undefined;
  /** True if the service has sent nothing for some seconds, so that the data may be old. */
  isStale: boolean;
  /** True if the connection has ended, too. Panels read again afterwards. */
  isOffline: boolean;
  ticket: TicketEntry;
  fillTicket: (change: TicketChange) => void;
  /** Fills the ticket, and shows it on a phone. */
  openTicket: (change: Partial<TicketEntry>) => void;
  profile: Profile;
  /** The number of changes of redemptions since the page was opened. */
  redemptionChanges: number;
  explorers: Explorers;
  /** Guards of the wallets that have become looser, or will. */
  guardNews: readonly GuardNews[];
  /** Warnings about the orders placed on this page, by order. The stream does not repeat them. */
  orderWarnings: ReadonlyMap<string, readonly Warning[]>;
  placing: Placing;
  /** Shows a message for a few seconds. */
  notify: (text: string, kind?: "good" | "bad") => void;
};

export const DeskContext = createContext<Desk | undefined>(undefined);

export function useDesk(): Desk {
  const desk = useContext(DeskContext);
  if (desk === undefined) throw new Error("There is no desk around this panel");
  return desk;
}

/**
 * Reads from the service, and again when one of the values changes, after another sign-in and after an outage. The signal ends
 * with the reading.
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

/** Copies text and reports it. The name begins the reported sentence. */
export function useCopy() {
  const { notify } = useDesk();
  return async (text: string, name: string) => {
    await navigator.clipboard.writeText(text);
    notify(`${name} is on the clipboard`);
  };
}

/** Calls the service for a button or form. Reports errors, and whether the call is under way. */
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
