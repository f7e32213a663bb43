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
  const [hasFailed, setFailed] = useState(false);
  const [tries, setTries] = useState(0);
  useEffect(() => {
    let isGone = false;
    setUrl(undefined);
    setFailed(false);
    account.begin(location.pathname + location.search + location.hash, isAgain).then(
      (next) => isGone || setUrl(next),
      (error) => {
        if (isGone) return;
        setProblem(textOf(error));
        setFailed(true);
      },
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
  return { url, problem, hasFailed, retry };
}

/**
 * Leads to the issuer's page: in this tab, or in another one if this tab must keep what it has. Until the issuer has
 * answered, the link has its place and no address.
 */
function SignInLink({ isAgain, ...props }: SignInProps & { isAgain: boolean }) {
  const { url, problem, hasFailed, retry } = useSignIn(props, isAgain);
  const target = isAgain || props.account.isFleeting ? "_blank" : undefined;
  return (
    <>
      <p role="alert" class="problem">
        {problem}
      </p>
      {hasFailed ? (
        <button type="button" class="primary" onClick={retry}>
          Try again
        </button>
      ) : (
        // Asserts the type, because an undefined address leaves the attribute out.
        <a class="primary" href={url as string} target={target} rel="noreferrer">
          Sign in
        </a>
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
