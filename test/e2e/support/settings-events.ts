import { expect } from "vitest";
import type { Inbox, Message } from "./inbox.ts";
import type { Settings } from "./terminal.ts";

export type SettingsEvent = { chain: string; version: number; settings: Settings };

/** Matches the settings event of this version. */
export const versionOf = (chain: string, version: number) => (message: Message) =>
  message.type === "TradingSettingsUpdated" &&
  eventIn(message).chain === chain &&
  eventIn(message).version === version;

/** Lists the settings events of a connection in order. A repeated event counts once and must equal the earlier one. */
export function settingsEvents({ received }: Inbox): SettingsEvent[] {
  const events: SettingsEvent[] = [];
  for (const event of received.filter(({ type }) => type === "TradingSettingsUpdated").map(eventIn)) {
    const known = events.find(({ chain, version }) => chain === event.chain && version === event.version);
    if (known === undefined) events.push(event);
    else expect(event).toStrictEqual(known);
  }
  return events;
}

/** Returns a chain's settings as seen by a client that ignores older versions. */
export function settingsInView(inbox: Inbox, chain: string): Settings | undefined {
  const events = settingsEvents(inbox).filter((event) => event.chain === chain);
  return events.toSorted((one, other) => one.version - other.version).at(-1)?.settings;
}

const eventIn = ({ data }: Message) => data as SettingsEvent;
