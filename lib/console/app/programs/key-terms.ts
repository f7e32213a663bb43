import type { Network, RestData, RestRequest } from "trading-terminal-client";

export type NewKey = RestRequest<"createKey">["body"];
export type Scope = NewKey["scopes"][number];

export type ProgramKey = RestData<"listKeys">["keys"][number];

/** A key that was just registered, with the private half if the page made it. */
export type MadeKey = { key: ProgramKey; privateKey: string | undefined };

/** Says in words what each scope permits. */
export const scopeTexts: Readonly<Record<Scope, string>> = {
  read: "Read wallets, orders, positions and markets",
  trade: "Place and cancel orders",
  settings: "Change settings, presets and names of wallets, and tighten limits",
};

/** A key as the user fills it in. */
export type KeyTerms = {
  name: string;
  /** Public key of the program. If empty, the page makes a pair of keys. */
  publicKey: string;
  scopes: readonly Scope[];
  chains: readonly Network[];
  wallets: readonly string[];
  tokens: string;
  maxPerOrder: string;
  maxPerDay: string;
  /** Last day of the key, as `YYYY-MM-DD`. */
  lastDay: string;
};

const dayMs = 24 * 3_600_000;

/** Maximum lifetime of a key in days, not counting the day on which it is made. */
const mostDays = 364;

/** Formats a day as the browser's date field does. */
const dayText = (time: Date): string => {
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 10);
};

/** The earliest and the latest last day that a key made now may have. */
export const dayRange = (now: Date) => ({
  min: dayText(now),
  max: dayText(new Date(now.getTime() + mostDays * dayMs)),
});

/** A key for a month that may only read. */
export const freshForm = (now: Date): KeyTerms => ({
  name: "",
  publicKey: "",
  scopes: ["read"],
  chains: [],
  wallets: [],
  tokens: "",
  maxPerOrder: "",
  maxPerDay: "",
  lastDay: dayText(new Date(now.getTime() + 30 * dayMs)),
});

/**
 * Writes the request of a key that ends with its last day, in the user's time. Limits bound orders, so keys that cannot
 * trade have none.
 */
export function requestOf(form: KeyTerms, publicKey: string): NewKey {
  const { name, scopes, chains, wallets, maxPerOrder, maxPerDay, lastDay } = form;
  const tokens = form.tokens.split(/[\s,]+/).filter(Boolean);
  const limits = {
    ...(chains.length > 0 && { chains }),
    ...(wallets.length > 0 && { wallets }),
    ...(tokens.length > 0 && { tokens }),
    ...(maxPerOrder && { maxPerOrder }),
    ...(maxPerDay && { maxPerDay }),
  };
  return {
    name,
    publicKey,
    scopes,
    ...(scopes.includes("trade") && limits),
    expiresAt: new Date(`${lastDay}T23:59:59.000`).toISOString(),
  } as NewKey;
}

type Limits = Partial<Pick<NewKey, "chains" | "wallets" | "tokens" | "maxPerOrder" | "maxPerDay">>;

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`;

/** Says in words what bounds the orders of a key. */
export function limitsText({ chains, wallets, tokens, maxPerOrder, maxPerDay }: Limits): string {
  const limits = [
    chains && `on ${chains.join(", ")}`,
    wallets && `with ${counted(wallets.length, "wallet")}`,
    tokens && `of ${counted(tokens.length, "token")}`,
    maxPerOrder && `at most ${maxPerOrder} a buy`,
    maxPerDay && `at most ${maxPerDay} a day on each chain`,
  ].filter(Boolean);
  return limits.length === 0 ? "Trades without limits of its own." : `Trades ${limits.join(", ")}.`;
}
