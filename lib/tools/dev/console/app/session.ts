import {
  createTerminal,
  type SocketConstructor,
  type Terminal,
  type TokenProvider,
} from "trading-terminal-client";

/** A signed-in user. The session ends with the page. */
export type Session = { terminal: Terminal; onSend: { current: (message: string) => void } };

/** Gets tokens from the local issuer, which signs for any user. */
export const localTokens =
  (sub: string): TokenProvider =>
  async () => {
    const response = await fetch("/_local/issuer/token", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ sub, username: sub, expiresIn: 3600 }),
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

export function openSession(token: TokenProvider): Session {
  const onSend: Session["onSend"] = { current: () => {} };
  /** Records the messages that the page sends. */
  class SeenSocket extends WebSocket {
    override send(data: string): void {
      onSend.current(data);
      super.send(data);
    }
  }
  const terminal = createTerminal({
    baseUrl: location.origin,
    token,
    WebSocket: SeenSocket as unknown as SocketConstructor,
  });
  return { terminal, onSend };
}
