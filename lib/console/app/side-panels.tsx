import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { loadedPart } from "./loaded-part.tsx";

/** Parts of the page around the desk, each in a panel of its own. */
const sides = [
  ["portfolio", "Portfolio"],
  ["discovery", "New tokens"],
  ["wallets", "Wallets"],
  ["settings", "Settings"],
  ["notices", "Notices"],
  ["programs", "Program keys"],
  ["rewards", "Rewards"],
  ["prices", "Prices"],
  ["messages", "Messages"],
] as const;

/** `newWallet` is Wallets with the form that makes one. */
export type Side = (typeof sides)[number][0] | "newWallet" | "more";

const sideTitle = (side: Side) =>
  side === "newWallet" ? "Wallets" : (sides.find(([name]) => name === side)?.[1] ?? "More");

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

/** Panels that users type into, so a click outside must not close them. */
const typedInto: readonly Side[] = ["wallets", "newWallet", "settings", "notices", "programs", "rewards"];

type PanelProps = { side: Side; onClose: () => void; children: ComponentChildren };

/**
 * A modal panel at the right, which fills a phone. The browser returns the focus when it closes. If it would lose what
 * the user has entered, Escape asks first. The button does not.
 */
export function SidePanel({ side, onClose, children }: PanelProps) {
  const element = useRef<HTMLDialogElement>(null);
  const isLeaving = useRef(false);
  const [isAsked, setAsked] = useState(false);
  useEffect(() => {
    const { current } = element;
    current?.showModal();
    return () => current?.close();
  }, []);
  const isKept = () => !isLeaving.current && Boolean(element.current?.querySelector("[data-unsaved]"));
  function leave() {
    isLeaving.current = true;
    element.current?.close();
  }
  function refuse(event: Event) {
    if (!isKept()) return;
    event.preventDefault();
    setAsked(true);
  }
  function closed() {
    // The browser reports a close after the next panel may have opened.
    if (element.current === null) return;
    if (!isKept()) return onClose();
    // Chromium closes every dialog at the second Escape.
    element.current.showModal();
    element.current.querySelector<HTMLElement>("[data-unsaved] input")?.focus();
    setAsked(true);
  }
  const resume = () => setAsked(false);
  return (
    <dialog
      ref={element}
      class="side-panel"
      aria-label={sideTitle(side)}
      closedby={typedInto.includes(side) ? "closerequest" : "any"}
      onCancel={refuse}
      onClose={closed}
      onInput={resume}
      onSubmit={resume}
    >
      <button type="button" class="plain close" aria-label="Close" onClick={leave}>
        ✕
      </button>
      <div class="unsaved" role="alert">
        {isAsked && (
          <p class="notice">
            What you have entered is not sent.{" "}
            <button type="button" class="plain" onClick={leave}>
              Drop it and close
            </button>
          </p>
        )}
      </div>
      {children}
    </dialog>
  );
}

export const LoadedPortfolio = loadedPart("portfolio", "empty", async () => {
  const { Portfolio } = await import("./portfolio/portfolio.tsx");
  return Portfolio;
});

export const LoadedLeaderboard = loadedPart("leaderboard", "empty", async () => {
  const { Leaderboard } = await import("./leaderboard.tsx");
  return Leaderboard;
});

export const LoadedDevices = loadedPart("notices", "empty", async () => {
  const { Devices } = await import("./devices/devices.tsx");
  return Devices;
});

export const LoadedProgramKeys = loadedPart("program keys", "empty", async () => {
  const { ProgramKeys } = await import("./programs/program-keys.tsx");
  return ProgramKeys;
});
