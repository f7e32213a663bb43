import { render } from "preact";
import { useEffect, useState } from "preact/hooks";

export type Notice = { id: number; text: string; kind: "good" | "bad" };

/** Milliseconds until a notice disappears. Problems stay longer, because the user may be looking elsewhere. */
const shownMs = { good: 6000, bad: 20_000 };

const mostNotices = 3;

let lastNotice = 0;

export function useNotices() {
  const [notices, setNotices] = useState<readonly Notice[]>([]);
  const dismiss = (id: number) => setNotices((shown) => shown.filter((notice) => notice.id !== id));
  function notify(text: string, kind: Notice["kind"] = "good") {
    const notice = { id: ++lastNotice, text, kind };
    setNotices((shown) => [...shown, notice].slice(-mostNotices));
    setTimeout(dismiss, shownMs[kind], notice.id);
  }
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
      notices.map(({ id, text, kind }) => (
        <p key={id} class={kind}>
          <strong>{kind === "good" ? "Done" : "Problem"}</strong> <span>{text}</span>
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
