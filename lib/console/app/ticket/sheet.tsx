import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Quote } from "trading-terminal-client";
import { Dialog } from "../controls.tsx";
import { PlaceBar } from "./place-bar.tsx";
import type { Verdict } from "./verdict.ts";

/** Screens that show a sheet before an order: small ones, also because text is large, and those for fingers. */
const handheld = "(max-width: 699px), (max-height: 499px), (pointer: coarse)";

/** True while the ticket has to show a sheet before an order. */
export function useHandheld(): boolean {
  const [is, setIs] = useState(() => matchMedia(handheld).matches);
  useEffect(() => {
    const query = matchMedia(handheld);
    const look = () => setIs(query.matches);
    look();
    query.addEventListener("change", look);
    return () => query.removeEventListener("change", look);
  }, []);
  return is;
}

/** Milliseconds during which a second tap at the place of the first one confirms nothing. */
const deafMs = 400;

type SheetProps = {
  title: string;
  /** Text of the one button that places the order. */
  confirm: string;
  side: Quote["side"];
  verdict: Verdict;
  onAct: () => unknown;
  onClose: () => void;
  children: ComponentChildren;
};

/** Shows everything about an order, and places it by one button. */
export function Sheet({ title, confirm, side, verdict, onAct, onClose, children }: SheetProps) {
  const [isDeaf, setDeaf] = useState(true);
  const [opener] = useState(() => document.activeElement);
  useEffect(() => {
    const timer = setTimeout(setDeaf, deafMs, false);
    return () => {
      clearTimeout(timer);
      // Returns the focus once the dialog is gone. While it is open, nothing else can have it.
      queueMicrotask(() => opener instanceof HTMLElement && opener.focus());
    };
  }, []);
  const shown: Verdict =
    verdict.act === "place" ? { act: isDeaf ? "none" : "place", text: confirm } : verdict;
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <PlaceBar side={side} verdict={shown} onAct={onAct} />
    </Dialog>
  );
}
