import {
  createTerminal,
  type KeyStore,
  type Retry,
  type SocketConstructor,
  type Terminal,
  type TokenProvider,
} from "trading-terminal-client";

/** A signed-in user. The session lives in the service's cookie, so it survives a reload of the page. */
export type Session = {
  terminal: Terminal;
  onSend: { current: (message: string) => void };
  /** Called when the user must sign in again: the session has expired, or is too old for a request. */
  onExpired: { current: () => void };
  /** Called before the client repeats a request. */
  onRetry: { current: (retry: Retry) => void };
};

/** Lifetime of local tokens in seconds, long enough for a day of testing. */
const localTokenSeconds = 12 * 3600;

/** Gets tokens from the local issuer, which signs for any user. */
export const localTokens =
  (sub: string): TokenProvider =>
  async () => {
    const response = await fetch("/_local/issuer/token", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ sub, username: sub, expiresIn: localTokenSeconds }),
    });
    const answer = (await response.json()) as { access_token: string; error?: string };
    if (!response.ok) throw new Error(answer.error);
    return answer.access_token;
  };

/** Uses a token from another issuer until it expires. */
export const pastedToken =
  (token: string): TokenProvider =>
  async ({ refresh }) => {
    if (refresh) throw new Error("The pasted token has expired");
    return token;
  };

const keyPrefix = "request-key ";

/**
 * Keeps the Idempotency-Keys of unanswered requests, so that a reload neither makes a wallet nor buys a reward twice.
 * They contain no secrets. Orders keep their keys elsewhere.
 */
const keysOfPage: KeyStore = {
  load: (request) => localStorage.getItem(keyPrefix + request),
  save: (request, keys) => localStorage.setItem(keyPrefix + request, keys),
  remove: (request) => localStorage.removeItem(keyPrefix + request),
};

const signedIn = "signed-in";

/** True if this browser may still have a session. Scripts cannot see the cookie itself. */
export const mayHaveSession = (): boolean => localStorage.getItem(signedIn) !== null;

/** Remembers whether this browser has a session. */
export function noteSession(hasSession: boolean): void {
  if (hasSession) localStorage.setItem(signedIn, "yes");
  else localStorage.removeItem(signedIn);
}

type Problem = { code: string; message: string; cause?: unknown };

/** Exchanges a token for the service's cookie, which scripts cannot read. */
export async function startSession(token: TokenProvider): Promise<Problem | undefined> {
  const terminal = createTerminal({ baseUrl: location.origin, token });
  const { error } = await terminal.startSession({ patienceMs: 0 });
  return error;
}

/** Opens the cookie's session. If the service rejects a call because the session is invalid, `onExpired` is called. */
export function openSession(): Session {
  const onSend: Session["onSend"] = { current: () => {} };
  const onExpired: Session["onExpired"] = { current: () => {} };
  const onRetry: Session["onRetry"] = { current: () => {} };
  /** Records messages that the page sends over the WebSocket. */
  class SeenSocket extends WebSocket {
    override send(data: string): void {
      onSend.current(data);
      super.send(data);
    }
  }
  async function watched(...request: Parameters<typeof fetch>): Promise<Response> {
    const response = await fetch(...request);
    const isTooOld =
      response.status === 403 && (await response.clone().text()).includes('"SIGN_IN_REQUIRED"');
    if (response.status === 401 || isTooOld) onExpired.current();
    return response;
  }
  const terminal = createTerminal({
    baseUrl: location.origin,
    keys: keysOfPage,
    fetch: watched,
    onRetry: (retry) => onRetry.current(retry),
    WebSocket: SeenSocket as unknown as SocketConstructor,
  });
  return { terminal, onSend, onExpired, onRetry };
}
