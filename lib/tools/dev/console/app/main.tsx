import { render } from "preact";
import { useState } from "preact/hooks";
import type { Session } from "./session.ts";
import { SignIn } from "./sign-in.tsx";
import { Workspace } from "./workspace.tsx";

function Console() {
  const [session, setSession] = useState<Session>();
  if (session === undefined) return <SignIn onSignIn={setSession} />;
  return <Workspace session={session} onSignOut={() => setSession(undefined)} />;
}

render(<Console />, document.getElementById("console") as HTMLElement);
