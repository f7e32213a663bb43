import { useEffect, useRef, useState } from "preact/hooks";
import { isOtherBuild, mayReload } from "./new-build.ts";
import type { Placing } from "./ticket/placing.ts";

/** Milliseconds between two looks for a newer build. The page also looks when it is shown again. */
const lookEveryMs = 5 * 60_000;

/** Lists the script and the style of this page. */
const ownFiles = () =>
  [...document.querySelectorAll("head script[src], head link[rel=stylesheet]")].map(
    (element) => element.getAttribute("src") ?? element.getAttribute("href") ?? "",
  );

/** Looks for a newer build, which a deployment has put in the place of this one. */
function useNewBuild(): boolean {
  const [isNewer, setNewer] = useState(false);
  useEffect(() => {
    async function look() {
      if (document.hidden) return;
      const page = await fetch("/console/", { cache: "no-store" }).then(
        (response) => (response.ok ? response.text() : ""),
        () => "",
      );
      if (isOtherBuild(ownFiles(), page)) setNewer(true);
    }
    const timer = setInterval(look, lookEveryMs);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, []);
  return isNewer;
}

/** Says that a newer build is deployed, and loads it once that interrupts nothing. */
export function NewBuildBanner({ placing }: { placing: Placing }) {
  const isNewer = useNewBuild();
  const inputMs = useRef(Date.now());
  const isPlacing = placing.isBusy || placing.unanswered !== undefined;
  useEffect(() => {
    if (!isNewer) return;
    const note = () => {
      inputMs.current = Date.now();
    };
    const timer = setInterval(() => {
      const hasUnsaved = document.querySelector("dialog[open], [data-unsaved]") !== null;
      const msSinceInput = Date.now() - inputMs.current;
      if (mayReload({ placing, hasUnsaved, isHidden: document.hidden, msSinceInput })) location.reload();
    }, 1000);
    note();
    const events = ["keydown", "pointerdown", "input"];
    for (const event of events) addEventListener(event, note);
    return () => {
      clearInterval(timer);
      for (const event of events) removeEventListener(event, note);
    };
  }, [isNewer, placing.isBusy, placing.unanswered]);
  if (!isNewer) return null;
  return (
    <div class="banner">
      <strong role="status">This page has a newer version.</strong>{" "}
      {isPlacing
        ? "It loads once your order is answered."
        : "It loads when you pause for half a minute, unless that would lose what you have entered."}
      <button type="button" disabled={isPlacing} onClick={() => location.reload()}>
        Load it now
      </button>
    </div>
  );
}
