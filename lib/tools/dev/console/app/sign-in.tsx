import { useState } from "preact/hooks";
import type { TokenProvider } from "trading-terminal-client";
import { Field, Form } from "./controls.tsx";
import { localTokens, openSession, pastedToken, type Session } from "./session.ts";

/** Prefers the message of the token provider, if that failed. */
const reasonOf = (error: { message: string; cause?: unknown }) =>
  "cause" in error && error.cause instanceof Error ? error.cause.message : error.message;

export function SignIn({ onSignIn }: { onSignIn: (session: Session) => void }) {
  const [user, setUser] = useState("alice");
  const [token, setToken] = useState("");
  const [problem, setProblem] = useState("");
  const [isBusy, setBusy] = useState(false);

  async function signIn(provider: TokenProvider) {
    setBusy(true);
    const session = openSession(provider);
    // Detects an unaccepted token here, instead of in every panel.
    const { error } = await session.terminal.getUserData({ patienceMs: 0 });
    setBusy(false);
    setToken("");
    if (error) return setProblem(`${error.code}: ${reasonOf(error)}`);
    onSignIn(session);
  }

  return (
    <main class="sign-in">
      <div class="mark" aria-hidden="true" />
      <h1>Trading terminal</h1>
      <p class="quiet">Try every part of the service on this machine.</p>
      <Form label="Sign in" onSubmit={() => signIn(localTokens(user))}>
        <Field label="User" hint="any name you like">
          <input
            value={user}
            maxLength={255}
            required
            onInput={({ currentTarget }) => setUser(currentTarget.value)}
          />
        </Field>
        <button type="submit" class="primary" disabled={isBusy}>
          Sign in
        </button>
      </Form>
      <details>
        <summary>I have a token</summary>
        <Form label="Use a token" onSubmit={() => signIn(pastedToken(token.trim()))}>
          <Field label="Token">
            <input
              type="password"
              autocomplete="new-password"
              value={token}
              required
              onInput={({ currentTarget }) => setToken(currentTarget.value)}
            />
          </Field>
          <button type="submit" disabled={isBusy}>
            Use it
          </button>
        </Form>
      </details>
      <p role="alert" class="problem">
        {problem}
      </p>
      <p class="quiet">
        <a href="/docs/">Reference of the API</a>
      </p>
    </main>
  );
}
