import { useState } from "preact/hooks";
import type { TokenProvider } from "trading-terminal-client";
import { Dialog, Field, Form } from "./controls.tsx";
import { localTokens, pastedToken, startSession } from "./session.ts";

/** Prefers the token provider's message if the provider failed. */
const reasonOf = (error: { message: string; cause?: unknown }) =>
  "cause" in error && error.cause instanceof Error ? error.cause.message : error.message;

type FormsProps = { user?: string; onSignedIn: () => void };

/** Signs in with the local issuer, or with a token from another issuer. */
export function SignInForms({ user: known = "alice", onSignedIn }: FormsProps) {
  const [user, setUser] = useState(known);
  const [token, setToken] = useState("");
  const [problem, setProblem] = useState("");
  const [isBusy, setBusy] = useState(false);

  async function signIn(provider: TokenProvider) {
    setBusy(true);
    const error = await startSession(provider);
    setBusy(false);
    setToken("");
    if (error) return setProblem(`${error.code}: ${reasonOf(error)}`);
    onSignedIn();
  }

  return (
    <>
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
        <Form label="Use a token" onSubmit={() => token && signIn(pastedToken(token.trim()))}>
          <Field label="Token">
            <input
              type="password"
              autocomplete="new-password"
              value={token}
              onInput={({ currentTarget }) => setToken(currentTarget.value)}
            />
          </Field>
          <button type="submit" disabled={isBusy || token === ""}>
            Use it
          </button>
        </Form>
      </details>
      <p role="alert" class="problem">
        {problem}
      </p>
    </>
  );
}

export function SignIn({ onSignedIn }: { onSignedIn: () => void }) {
  return (
    <main class="sign-in">
      <div class="mark" aria-hidden="true" />
      <h1>Trading terminal</h1>
      <p class="quiet">Try every part of the service on this machine.</p>
      <SignInForms onSignedIn={onSignedIn} />
      <p class="quiet">
        <a href="/docs/">Reference of the API</a>
      </p>
    </main>
  );
}

/** Asks the user to sign in again, above the desk, which keeps its state. */
export function SignInAgain({ user, onSignedIn }: Required<FormsProps>) {
  return (
    <Dialog title="Sign in again">
      <p class="quiet">The service needs a new sign-in. Everything on the desk stays as it is.</p>
      <SignInForms user={user} onSignedIn={onSignedIn} />
    </Dialog>
  );
}
