import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Notice, withNotice } from "./shown-notices.ts";

export type Notify = (text: string, kind?: Notice["kind"], more?: Pick<Notice, "about" | "remedy">) => void;

/**
 * Milliseconds until a notice disappears. Problems stay longer, because the user may be looking elsewhere, and those
 * with a remedy until they are dismissed.
 */
const shownMs = { good: 6000, step: 6000, bad: 20_000 };

const titles = { good: "Done", step: "Sent", bad: "Problem" };

let lastNotice = 0;

export function useNotices() {
  const [notices, setNotices] = useState<readonly Notice[]>([]);
  const dismiss = (id: number) => setNotices((shown) => shown.filter((notice) => notice.id !== id));
  const notify: Notify = (text, kind = "good", more = {}) => {
    const notice = { id: ++lastNotice, text, kind, ...more };
    setNotices((shown) => withNotice(shown, notice));
    if (more.remedy === undefined) setTimeout(dismiss, shownMs[kind], notice.id);
  };
  return { notices, notify, dismiss };
}

type NoticesProps = { notices: readonly Notice[]; onDismiss: (id: number) => void };

/** Finds the dialog that covers all others. A dialog stands after those that it covers, or inside them. */
const topDialog = () => [...document.querySelectorAll("dialog:modal")].at(-1);

function makeHost() {
  const host = Object.assign(document.createElement("div"), { popover: "manual", className: "notices" });
  host.role = "status";
  return host;
}

/**
 * Shows notices inside the topmost dialog, because a modal dialog makes all of the page outside it inert: nobody could
 * hear them or dismiss them there.
 */
export function Notices({ notices, onDismiss }: NoticesProps) {
  const [host] = useState(makeHost);
  useEffect(() => {
    function move() {
      const parent = topDialog() ?? document.body;
      if (host.parentElement === parent) return;
      parent.append(host);
      host.showPopover();
    }
    move();
    const observer = new MutationObserver(move);
    observer.observe(document.body, { subtree: true, childList: true, attributeFilter: ["open"] });
    return () => {
      observer.disconnect();
      host.remove();
    };
  }, []);
  useEffect(() => {
    render(
      notices.map(({ id, text, kind, remedy }) => (
        <p key={id} class={kind}>
          <strong>{titles[kind]}</strong> <span>{text}</span>
          {remedy && (
            <button
              type="button"
              onClick={() => {
                onDismiss(id);
                remedy.onPick();
              }}
            >
              {remedy.text}
            </button>
          )}
          <button type="button" class="plain" aria-label="Dismiss" onClick={() => onDismiss(id)}>
            ✕
          </button>
        </p>
      )),
      host,
    );
    // Shows the notices again, because the popover shown last covers a chart that fills the screen.
    host.hidePopover();
    host.showPopover();
  }, [notices]);
  return null;
}
