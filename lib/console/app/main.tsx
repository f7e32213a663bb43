import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { mayHaveSession, noteSession, openSession } from "./session.ts";
import { SignIn } from "./sign-in.tsx";
import { Workspace } from "./workspace.tsx";

function Console() {
  const [session, setSession] = useState(openSession);
  const [isSignedIn, setSignedIn] = useState(mayHaveSession() ? undefined : false);
  function sign(isIn: boolean) {
    noteSession(isIn);
    setSignedIn(isIn);
  }

  // The cookie of an earlier visit may have expired by now.
  useEffect(() => {
    if (isSignedIn === undefined)
      void session.terminal
        .getUserData({ patienceMs: 3000 })
        .then(({ error }) => sign(error?.status !== 401));
  }, []);

  if (isSignedIn === undefined) return <p class="empty">Opening the terminal …</p>;
  if (!isSignedIn) return <SignIn onSignedIn={() => sign(true)} />;
  const signOut = async () => {
    await session.terminal.endSession({ patienceMs: 3000 });
    sign(false);
  };
  return <Workspace session={session} onSignOut={signOut} onSignIn={() => setSession(openSession())} />;
}

render(<Console />, document.getElementById("console") as HTMLElement);
