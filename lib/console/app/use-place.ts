import { useEffect, useRef, useState } from "preact/hooks";
import type { Interval } from "trading-terminal-client/markets";
import type { TicketEntry } from "./desk.ts";
import { isAddressOn } from "./explorers.ts";
import { type Place, placeIn, withPlace } from "./place.ts";

type Deps = {
  ticket: TicketEntry;
  fillTicket: (change: Pick<TicketEntry, "chain" | "token">) => void;
  notify: (text: string, kind: "bad") => void;
};

/**
 * Keeps chain, token and interval in the page's address, so that links, Back, Forward and a reload show them. A token is
 * part of the address once it is one, not while it is typed.
 */
export function usePlace({ ticket: { chain, token }, fillTicket, notify }: Deps) {
  const [interval, pickInterval] = useState<Interval>(() => placeIn(location.search).interval);
  const current = useRef(fillTicket);
  current.current = fillTicket;

  useEffect(() => {
    function follow() {
      const { problem, interval: next, ...named } = placeIn(location.search);
      if (problem !== undefined) notify(problem, "bad");
      pickInterval(next);
      if (named.token !== "") current.current(named);
    }
    if (placeIn(location.search).problem !== undefined) follow();
    addEventListener("popstate", follow);
    return () => removeEventListener("popstate", follow);
  }, []);

  useEffect(() => {
    if (!isAddressOn(chain, token)) return;
    const named = placeIn(location.search);
    const place: Place = { chain, token, interval };
    if (named.problem === undefined && isSame(named, place)) return;
    const isFirst = named.token === "" || named.problem !== undefined;
    history[isFirst ? "replaceState" : "pushState"](null, "", withPlace(location.search, place));
  }, [chain, token, interval]);

  return { interval, pickInterval };
}

const isSame = (one: Place, other: Place) =>
  one.chain === other.chain && one.token === other.token && one.interval === other.interval;
