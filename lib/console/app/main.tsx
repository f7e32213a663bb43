import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { openSession, type Session } from "./session.ts";
import type { Account } from "./sign-in/account.ts";
import { type Opening, openAccount, takeAnswer } from "./sign-in/open-account.ts";
import { SignIn, Threshold } from "./sign-in/sign-in.tsx";
import { showChosenTheme } from "./top-bar.tsx";
import { Workspace } from "./workspace.tsx";

showChosenTheme();
const answer = takeAnswer();

function Console() {
  const [opening, setOpening] = useState<Opening>();
  const [session, setSession] = useState<Session>();
  const enter = (account: Account) => setSession(openSession(account));
  const leave = (account: Account, problem: string) => {
    setSession(undefined);
    setOpening({ account, outcome: "out", problem });
  };

  async function open(taken?: URLSearchParams) {
    setOpening(undefined);
    const next = await openAccount(taken);
    if ("account" in next) {
      const { account } = next;
      account.events.ended = (reason) => leave(account, reason);
      if (next.outcome === "in") enter(account);
    }
    setOpening(next);
  }
  useEffect(() => void open(answer), []);

  if (opening === undefined) return <p class="empty">Opening the terminal …</p>;
  if (opening.outcome === "failed")
    return (
      <Threshold>
        <p role="alert" class="problem">
          {opening.problem}
        </p>
        <button type="button" class="primary" onClick={() => open()}>
          Try again
        </button>
      </Threshold>
    );
  if (opening.outcome === "elsewhere")
    return (
      <Threshold>
        <p role="status">You are signed in. Go on in the tab where you began, and close this one.</p>
      </Threshold>
    );

  const { account, problem } = opening;
  const onSignedIn = () => enter(account);
  if (session === undefined) return <SignIn account={account} problem={problem} onSignedIn={onSignedIn} />;
  async function signOut() {
    const url = await account.signOut();
    if (url !== undefined) return location.replace(url);
    leave(account, "You are signed out here, but the sign-in service may still know you.");
  }
  // Draws a new page for another user, so that the data of two users never mix.
  return <Workspace key={account.user} session={session} onSignOut={signOut} onSignIn={onSignedIn} />;
}

render(<Console />, document.getElementById("console") as HTMLElement);
