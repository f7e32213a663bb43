/** Parts of a browser that Node lacks. */
const globals = globalThis as {
  location?: { origin: string; href: string };
  document?: EventTarget & { readonly visibilityState: string };
} & Partial<Pick<EventTarget, "addEventListener" | "removeEventListener">>;

/** Location of the page. Undefined outside a browser. */
export const pageLocation = () => globals.location;

/**
 * Calls back when the network returns or the page is shown again, because connections may have broken unnoticed.
 * Returns a function that stops listening.
 */
export function onReturn(act: () => void): () => void {
  const { document } = globals;
  const onChange = () => document?.visibilityState === "visible" && act();
  globals.addEventListener?.("online", act);
  document?.addEventListener("visibilitychange", onChange);
  return () => {
    globals.removeEventListener?.("online", act);
    document?.removeEventListener("visibilitychange", onChange);
  };
}
