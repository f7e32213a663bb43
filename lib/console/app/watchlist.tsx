import { useEffect, useState } from "preact/hooks";
import type { InspectedToken, TokenName } from "trading-terminal-client";
import { isSameToken, marketOf } from "trading-terminal-client/markets";
import { useDesk } from "./desk.ts";
import { percentText, shortened, usdText } from "./format.ts";
import { browserStore } from "./stores.ts";
import { heldIn, toggled, type Watched, type WatchedToken, watchedIn, withOpened } from "./watched.ts";

/** Keeps the tokens that a user watches in this browser. */
export function useWatched(userID: string | undefined): Watched {
  const name = `watched ${userID}`;
  const [tokens, setTokens] = useState(() => watchedIn(browserStore.get(name)));
  useEffect(() => {
    const read = () => setTokens(watchedIn(browserStore.get(name)));
    read();
    // Another tab has changed the list.
    const onStorage = ({ key }: StorageEvent) => key === name && read();
    addEventListener("storage", onStorage);
    return () => removeEventListener("storage", onStorage);
  }, [name]);
  function toggle(token: WatchedToken) {
    const next = toggled(tokens, token);
    setTokens(next);
    browserStore.set(name, JSON.stringify(next));
  }
  return { tokens, toggle };
}

const openedName = (userID: string) => `opened ${userID}`;

/** Reads the tokens that a user has opened in this browser, the last one first. */
export const openedBy = (userID: string) => watchedIn(browserStore.get(openedName(userID)));

/** Keeps a token that the user opens in this browser, where a search finds it later. */
export function useOpened(token: InspectedToken | undefined) {
  const { userID } = useDesk().profile;
  useEffect(() => {
    if (token === undefined) return;
    browserStore.set(openedName(userID), JSON.stringify(withOpened(openedBy(userID), token)));
  }, [userID, token]);
}

/**
 * Lists the tokens that the user watches, and others that are held. Until a token is watched, offers those that the
 * chain lists. A pick shows one in the chart and the ticket.
 */
export function Watchlist() {
  const { state, watched, offered } = useDesk();
  const held = heldIn(state?.positions ?? [], watched.tokens);
  const rows = [
    ...watched.tokens.map((token) => ({ token })),
    ...held.map((token) => ({ token, isHeld: true })),
    ...offered.filter((each) => !held.some((other) => isSameToken(other, each))).map((token) => ({ token })),
  ];
  return (
    <nav class="watchlist" aria-label="Watched and held tokens">
      {watched.tokens.length === 0 && <p class="quiet">Star a token to watch it.</p>}
      <ul>
        {rows.map((row) => (
          <WatchedRow key={`${row.token.chain} ${row.token.token}`} {...row} />
        ))}
      </ul>
    </nav>
  );
}

function WatchedRow({ token, isHeld = false }: { token: WatchedToken; isHeld?: boolean }) {
  const { state, ticket, openTicket } = useDesk();
  const { chain, token: address } = token;
  const { symbol = token.symbol, priceUsd, change24h } = (state && marketOf(state, token)) ?? {};
  const name = symbol.trim() || shortened(address);
  const tone = change24h === undefined || change24h === 0 ? "still" : change24h > 0 ? "up" : "down";
  return (
    <li>
      <button
        type="button"
        class="watched"
        aria-current={isSameToken(ticket, token) ? "true" : undefined}
        title={name}
        onClick={() => openTicket({ chain, token: address, wallet: "" })}
      >
        <strong>
          <bdi>{name}</bdi>
        </strong>
        <small class="quiet">{isHeld ? `${chain}, held` : chain}</small>
        <span>{priceUsd === undefined ? "–" : usdText(priceUsd)}</span>
        <small class={tone}>{change24h === undefined ? "" : percentText(change24h)}</small>
      </button>
      <WatchButton token={token} />
    </li>
  );
}

/** Adds a token to the user's list, or removes it. */
export function WatchButton({ token }: { token: WatchedToken }) {
  const { watched } = useDesk();
  const isOn = watched.tokens.some((each: TokenName) => isSameToken(each, token));
  return (
    <button
      type="button"
      class="plain star"
      aria-pressed={isOn}
      aria-label={`Watch ${token.symbol.trim() || shortened(token.token)}`}
      onClick={() => watched.toggle(token)}
    >
      {isOn ? "★" : "☆"}
    </button>
  );
}
