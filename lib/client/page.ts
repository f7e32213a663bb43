/** The parts of a browser that Node lacks. */
const globals = globalThis as {
  location?: { origin: string; href: string };
  document?: EventTarget & { readonly visibilityState: string };
} & Partial<Pick<EventTarget, "addEventListener" | "removeEventListener">>;

/** The location of the page. Undefined if this runs in none. */
export const pageLocation = () => globals.location;

/**
 * Calls back when the network is back or the page is shown again, in which connections may have broken unnoticed. Returns a
 * function that ends this.
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
