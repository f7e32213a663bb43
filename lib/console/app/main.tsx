import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { LinksContext } from "./links.ts";
import { openSession, type Session } from "./session.ts";
import type { Account } from "./sign-in/account.ts";
import type { Links } from "./sign-in/config.ts";
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
  const leave = (account: Account, links: Links, problem: string) => {
    setSession(undefined);
    setOpening({ account, links, outcome: "out", problem });
  };

  async function open(taken?: URLSearchParams) {
    setOpening(undefined);
    const next = await openAccount(taken);
    if ("account" in next) {
      const { account, links } = next;
      account.events.ended = (reason) => leave(account, links, reason);
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
        <p role="status">You are signed in. Continue in the tab where you began, and close this one.</p>
      </Threshold>
    );

  const { account, links, problem } = opening;
  const onSignedIn = () => enter(account);
  async function signOut() {
    const url = await account.signOut();
    if (url !== undefined) return location.replace(url);
    leave(account, links, "You are signed out here, but the sign-in service may still know you.");
  }
  return (
    <LinksContext.Provider value={links}>
      {session === undefined ? (
        <SignIn account={account} problem={problem} onSignedIn={onSignedIn} />
      ) : (
        // Draws a new page for another user, so that the data of two users never mix.
        <Workspace key={account.user} session={session} onSignOut={signOut} onSignIn={onSignedIn} />
      )}
    </LinksContext.Provider>
  );
}

render(<Console />, document.getElementById("console") as HTMLElement);
