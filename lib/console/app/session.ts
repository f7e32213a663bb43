import {
  createTerminal,
  type KeyStore,
  type Retry,
  type SocketConstructor,
  type Terminal,
} from "trading-terminal-client";
import type { Account } from "./sign-in/account.ts";
import { browserStore } from "./stores.ts";

/** The session of a signed-in user on this page. */
export type Session = {
  account: Account;
  terminal: Terminal;
  onSend: { current: (message: string) => void };
  /** Called when the user must sign in again: the sign-in has ended, is too old for a request, or is refused. */
  onExpired: { current: (reason?: string) => void };
  /** Called before the client repeats a request. */
  onRetry: { current: (retry: Retry) => void };
};

const keyPrefix = "request-key ";

/**
 * Keeps the Idempotency-Keys of unanswered requests, so that a reload neither makes a wallet nor buys a reward twice.
 * They contain no secrets. Orders keep their keys elsewhere.
 */
const keysOfPage: KeyStore = {
  load: (request) => browserStore.get(keyPrefix + request) ?? null,
  save: (request, keys) => browserStore.set(keyPrefix + request, keys),
  remove: (request) => browserStore.remove(keyPrefix + request),
};

/** Opens the account's session with a client of its own. */
export function openSession(account: Account): Session {
  const onSend: Session["onSend"] = { current: () => {} };
  const onExpired: Session["onExpired"] = { current: () => {} };
  const onRetry: Session["onRetry"] = { current: () => {} };
  account.events.expired = () => onExpired.current();
  /** Records messages that the page sends over the WebSocket. */
  class SeenSocket extends WebSocket {
    override send(data: string): void {
      onSend.current(data);
      super.send(data);
    }
  }
  let renewed: string | null | undefined;
  async function watched(...request: Parameters<typeof fetch>): Promise<Response> {
    const response = await fetch(...request);
    if (response.ok) renewed = undefined;
    if (response.status !== 401 && response.status !== 403) return response;
    const text = await response.clone().text();
    const token = new Headers(request[1]?.headers).get("Authorization");
    // The client renews an expired token by itself. The next one must be better.
    const isRenewable = text.includes('"needsRefresh":true') && (renewed ?? token) === token;
    if (isRenewable) renewed = token;
    else if (text.includes('"SIGN_IN_REQUIRED"')) onExpired.current();
    else if (response.status === 401) {
      const [, why = "it gives no reason"] = /"error":"([\w ]+)"/.exec(text) ?? [];
      onExpired.current(`The service refuses this sign-in: ${why}.`);
    }
    return response;
  }
  const terminal = createTerminal({
    baseUrl: location.origin,
    token: account.tokenFor(account.user ?? ""),
    keys: keysOfPage,
    fetch: watched,
    onRetry: (retry) => onRetry.current(retry),
    WebSocket: SeenSocket as unknown as SocketConstructor,
  });
  return { account, terminal, onSend, onExpired, onRetry };
}
