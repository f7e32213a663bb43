import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Unread } from "./controls.tsx";

/** Parts of the page beside the desk, each in a panel of its own. */
const sides = [
  ["portfolio", "Portfolio"],
  ["discovery", "New tokens"],
  ["wallets", "Wallets"],
  ["settings", "Settings"],
  ["rewards", "Rewards"],
  ["prices", "Prices"],
  ["messages", "Messages"],
] as const;

export type Side = (typeof sides)[number][0] | "more";

const sideTitle = (side: Side) => sides.find(([name]) => name === side)?.[1] ?? "More";

/** Lists the buttons that open a side panel. */
export const SideButtons = ({ onOpen }: { onOpen: (side: Side) => void }) => (
  <>
    {sides.map(([name, text]) => (
      <button key={name} type="button" class="plain" aria-haspopup="dialog" onClick={() => onOpen(name)}>
        {text}
      </button>
    ))}
  </>
);

/** Panels that users type into, so a click beside them must not close them. */
const typedInto: readonly Side[] = ["wallets", "settings"];

type PanelProps = { side: Side; onClose: () => void; children: ComponentChildren };

/** A modal panel at the right, which fills a phone. The browser returns the focus when it closes. */
export function SidePanel({ side, onClose, children }: PanelProps) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const { current } = element;
    current?.showModal();
    return () => current?.close();
  }, []);
  return (
    <dialog
      ref={element}
      class="side-panel"
      aria-label={sideTitle(side)}
      closedby={typedInto.includes(side) ? "closerequest" : "any"}
      // The browser reports a close after the next panel may have opened.
      onClose={() => element.current && onClose()}
    >
      <button type="button" class="plain close" aria-label="Close" onClick={() => element.current?.close()}>
        ✕
      </button>
      {children}
    </dialog>
  );
}

/** Shows the portfolio, whose script is loaded when it is first opened. */
export function LoadedPortfolio() {
  const [hasFailed, setFailed] = useState(false);
  const [{ Portfolio }, setModule] = useState<Partial<typeof import("./portfolio/portfolio.tsx")>>({});
  useEffect(() => {
    import("./portfolio/portfolio.tsx").then(setModule, () => setFailed(true));
  }, []);
  if (Portfolio !== undefined) return <Portfolio />;
  // A browser loads a script that has failed only with the next page.
  if (hasFailed) return <Unread what="portfolio" onRetry={() => location.reload()} />;
  return <p class="empty">Loading the portfolio …</p>;
}
