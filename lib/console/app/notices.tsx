import { useEffect, useRef, useState } from "preact/hooks";

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

export function Notices({ notices, onDismiss }: NoticesProps) {
  const element = useRef<HTMLDivElement>(null);
  // What is shown last is on top, so that no dialog covers a new notice.
  useEffect(() => {
    element.current?.hidePopover();
    element.current?.showPopover();
  }, [notices]);
  return (
    <div ref={element} popover="manual" class="notices" role="status" aria-live="polite">
      {notices.map(({ id, text, kind }) => (
        <p key={id} class={kind}>
          <strong>{kind === "good" ? "Done" : "Problem"}</strong> <span>{text}</span>
          <button type="button" class="plain" aria-label="Dismiss" onClick={() => onDismiss(id)}>
            ✕
          </button>
        </p>
      ))}
    </div>
  );
}
