import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Dialog } from "../controls.tsx";
import { useLinks } from "../links.ts";
import type { Account } from "./account.ts";
import { textOf } from "./open-account.ts";

type SignInProps = {
  account: Account;
  /** Sentence about what went wrong before. */
  problem?: string | undefined;
  onSignedIn: () => void;
};

/** Prepares a sign-in, and another one after each that failed. The page of the issuer may be open in another tab. */
function useSignIn({ account, problem: before = "", onSignedIn }: SignInProps, isAgain: boolean) {
  const [url, setUrl] = useState<string>();
  const [problem, setProblem] = useState(before);
  const [tries, setTries] = useState(0);
  useEffect(() => {
    let isGone = false;
    setUrl(undefined);
    account.begin(location.pathname + location.search + location.hash, isAgain).then(
      (next) => isGone || setUrl(next),
      (error) => isGone || setProblem(textOf(error)),
    );
    return () => {
      isGone = true;
    };
  }, [account, tries]);
  useEffect(() => {
    account.events.answered = (failed) => {
      if (failed === undefined) return onSignedIn();
      setProblem(failed);
      setTries((count) => count + 1);
    };
    return () => {
      account.events.answered = () => {};
    };
  });
  function retry() {
    setProblem("");
    setTries((count) => count + 1);
  }
  return { url, problem, retry };
}

/** Leads to the issuer's page: in this tab, or in another one if this tab must keep what it has. */
function SignInLink({ isAgain, ...props }: SignInProps & { isAgain: boolean }) {
  const { url, problem, retry } = useSignIn(props, isAgain);
  const target = isAgain || props.account.isFleeting ? "_blank" : undefined;
  return (
    <>
      <p role="alert" class="problem">
        {problem}
      </p>
      {url !== undefined && (
        <a class="primary" href={url} target={target} rel="noreferrer">
          Sign in
        </a>
      )}
      {url === undefined && problem !== "" && (
        <button type="button" class="primary" onClick={retry}>
          Try again
        </button>
      )}
    </>
  );
}

function DocsLink() {
  const { docs } = useLinks();
  if (docs === undefined) return null;
  return (
    <p class="quiet">
      <a href={docs}>Reference of the API</a>
    </p>
  );
}

/** A page of its own, before or after the desk. */
export const Threshold = ({ children }: { children: ComponentChildren }) => (
  <main class="sign-in">
    <div class="mark" aria-hidden="true" />
    <h1>Trading terminal</h1>
    {children}
  </main>
);

export const SignIn = (props: SignInProps) => (
  <Threshold>
    {props.account.isFleeting && (
      <p class="notice">
        This browser lets the page keep nothing. After a reload you have to sign in again, and the page does
        not remember orders and requests that were not answered. The sign-in opens in another tab.
      </p>
    )}
    <SignInLink {...props} isAgain={false} />
    <DocsLink />
  </Threshold>
);

/** Asks the user to sign in again, above the desk, which keeps its state. */
export const SignInAgain = ({ user, ...props }: SignInProps & { user: string }) => (
  <Dialog title="Sign in again">
    <p class="quiet">
      The service needs a new sign-in{user && ` of ${user}`}. It opens in another tab, and everything on the
      desk stays as it is.
    </p>
    <SignInLink {...props} isAgain />
  </Dialog>
);
