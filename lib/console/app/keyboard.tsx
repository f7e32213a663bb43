import { useEffect, useRef } from "preact/hooks";

const shortcuts = [
  ["/", "Find a token"],
  ["b", "Buy: the amount"],
  ["s", "Sell: the amount"],
  ["c", "The chain"],
  ["w", "The wallet"],
  ["p", "The button that places the order"],
  ["Escape", "Leave a field or close an open panel"],
  ["?", "Show these shortcuts"],
] as const;

type Actions = { onFind: () => void; onSide: (side: "buy" | "sell") => void };

/** Leaves out the amount's field: it takes only digits, and traders stay in it. */
const typedInto = "input:not([type=radio], [type=checkbox], #amount), select, textarea, dialog";

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.closest(typedInto) !== null;

/** True while a dialog is open. Escape then affects only the dialog, and the desk behind it stays as it is. */
const isDialogOpen = () => document.querySelector("dialog[open]") !== null;

/**
 * Focuses a field and selects its text, which the next key replaces. Waits for Preact, which draws in an earlier
 * microtask, because a new text would end the selection, and a phone may have to switch its tab.
 */
export function focusSoon(id: string) {
  queueMicrotask(() => {
    const field = document.getElementById(id);
    field?.focus();
    if (field instanceof HTMLInputElement) field.select();
  });
}

/** Listens for the page's keyboard shortcuts, except while somebody types. */
export function useShortcuts(actions: Actions) {
  const dialog = useRef<HTMLDialogElement>(null);
  const current = useRef(actions);
  current.current = actions;
  const open = () => dialog.current?.showModal();

  useEffect(() => {
    function onKey(event: KeyboardEvent) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "Escape") return isDialogOpen() ? undefined : leave();
      if (isTyping(event.target)) return;
      const act = {
        "/": () => find("token"),
        b: () => side("buy"),
        s: () => side("sell"),
        c: () => find("chain"),
        w: () => find("wallet"),
        p: () => find("place"),
        "?": open,
      }[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    }
    function find(id: string) {
      current.current.onFind();
      focusSoon(id);
    }
    function side(name: "buy" | "sell") {
      current.current.onSide(name);
      focusSoon("amount");
    }
    function leave() {
      document.getElementById("desk")?.focus({ preventScroll: true });
      for (const drawer of document.querySelectorAll<HTMLDetailsElement>("details[open]"))
        drawer.open = false;
    }
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);

  return { dialog, open };
}

/** Calls back on Escape, to close a part of the page. */
export function useEscape(close: () => void) {
  const current = useRef(close);
  current.current = close;
  useEffect(() => {
    const onKey = ({ key }: KeyboardEvent) => key === "Escape" && !isDialogOpen() && current.current();
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

/** Lists the shortcuts. */
export function Help({ dialog }: Pick<ReturnType<typeof useShortcuts>, "dialog">) {
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="shortcuts">
      <h2 id="shortcuts">Keyboard shortcuts</h2>
      <dl class="facts">
        {shortcuts.map(([key, text]) => (
          <>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
