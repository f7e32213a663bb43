import { createContext } from "preact";
import { useContext, useState } from "preact/hooks";
import type { Profile, RestData, Terminal, TerminalState } from "trading-terminal-client";

type Placed = Extract<RestData<"placeOrder">, { order: unknown }>;
export type Warning = Placed["warnings"][number];

/** State and functions that all panels share. */
export type Desk = {
  terminal: Terminal;
  state: TerminalState;
  profile: Profile;
  /** The number of changes of redemptions since the page was opened. */
  redemptionChanges: number;
  /** The chains of this machine. Undefined before they are known. */
  localChains: ReadonlySet<string> | undefined;
  /** Warnings about the orders placed on this page, by order. The stream does not repeat them. */
  orderWarnings: ReadonlyMap<string, readonly Warning[]>;
  noteOrder(placed: Placed): void;
  /** Shows a message for a few seconds. */
  notify(text: string, kind?: "good" | "bad"): void;
};

export const DeskContext = createContext<Desk | undefined>(undefined);

export function useDesk(): Desk {
  const desk = useContext(DeskContext);
  if (desk === undefined) throw new Error("There is no desk around this panel");
  return desk;
}

type Failure = { code: string; message: string };

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
      if (error) notify(`${error.code}: ${error.message}`, "bad");
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
