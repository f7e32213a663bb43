import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { Token, TokenName } from "trading-terminal-client";
import { isSameToken, marketOf } from "trading-terminal-client/markets";
import { Field, type NetworkName } from "../controls.tsx";
import { useDesk } from "../desk.ts";
import { amount, chainName, coinOf, shortened } from "../format.ts";
import { focusSoon } from "../keyboard.tsx";
import { openedBy } from "../watchlist.tsx";
import { type FoundToken, resultsOf } from "./search-results.ts";
import { isAddress, isSearch, useTokenSearch } from "./token-search.ts";

type PickerProps = {
  chain: NetworkName;
  token: string;
  tokens: readonly Token[];
  onPick: (token: string, chain?: NetworkName) => void;
};

/** Picks a token by a pasted address, by its name or from a list. */
export function TokenPicker({ chain, token, tokens, onPick }: PickerProps) {
  const { state, profile, watched, openDiscovery } = useDesk();
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  /** Text of the field until a token is picked or the field is left. Chart and ticket keep their token meanwhile. */
  const [typed, setTyped] = useState<string>();
  const text = typed?.trim() ?? "";
  const listed = tokens.find((each) => isSameToken({ chain, token }, each));
  const shown = typed ?? ((listed ?? (state && marketOf(state, { chain, token })))?.symbol || token);
  const found = useTokenSearch(text);
  const [isFocused, setFocused] = useState(false);
  /** True if the field is ready for the chain's first token, which does not fill it in while it has the focus. */
  const isUnfilled = isFocused && token === "" && text === "" && tokens.length > 0;
  const isSearched = isSearch(text);
  const isShown = isSearched || isUnfilled;
  const known = isShown
    ? [...tokens.map((each) => ({ ...each, listed: true })), ...openedBy(profile.userID), ...watched.tokens]
    : [];
  const results = resultsOf(text, known, found?.tokens);
  /** The marked result, which keeps its mark if the service finds more. */
  const [mark, setMark] = useState<TokenName>();
  const marked = results.findIndex((each) => mark !== undefined && isSameToken(each, mark));
  // Enter takes the first result if the arrow keys have marked none.
  const active = Math.max(marked, 0);
  // Drops the text if a link or another field picks a token or a chain.
  useEffect(() => setTyped((before) => (before?.trim() === token ? before : undefined)), [chain, token]);
  // Selects the symbol, which the next key replaces as a whole.
  useEffect(() => {
    if (typed === undefined && document.activeElement === field.current) field.current?.select();
  }, [typed, shown]);

  const isNone = found !== undefined && results.length === 0;

  function type(next: string) {
    setTyped(next);
    setMark(undefined);
    if (isAddress(next.trim())) onPick(next.trim());
  }
  /** Takes the text of the clipboard. If the browser refuses, empties the field for a paste by hand. */
  async function paste() {
    let copied = "";
    try {
      copied = await navigator.clipboard.readText();
    } catch {
      // Some browsers have no such call, or the user has denied it.
    }
    field.current?.focus();
    type(copied);
  }
  function pick(one: FoundToken) {
    setTyped(undefined);
    onPick(one.token, one.chain);
    focusSoon("amount");
  }
  function onKey(event: KeyboardEvent) {
    // Keeps Enter from the form, because it picks a token and must never buy one.
    if (event.key === "Enter") event.preventDefault();
    if (event.key === "Escape" && typed !== undefined) {
      event.stopPropagation();
      setTyped(undefined);
    }
    if (!isShown) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && results.length > 0) {
      event.preventDefault();
      setMark(results[((step > 0 ? marked : active) + step + results.length) % results.length]);
    }
    const one = results[active];
    if (event.key === "Enter" && one !== undefined) pick(one);
  }

  return (
    <>
      <div
        class="search"
        onFocusOut={({ currentTarget, relatedTarget }) => {
          if (currentTarget.contains(relatedTarget as Node | null)) return;
          setFocused(false);
          setTyped(undefined);
        }}
      >
        <Field label="Token" hint="a name or an address">
          <input
            id="token"
            ref={field}
            role="combobox"
            aria-expanded={isShown}
            aria-controls={id}
            aria-autocomplete="list"
            aria-activedescendant={isShown && results.length > 0 ? `${id}-${active}` : undefined}
            value={shown}
            title={token}
            spellcheck={false}
            autocomplete="off"
            onInput={({ currentTarget }) => type(currentTarget.value)}
            onFocus={({ currentTarget }) => {
              setFocused(true);
              currentTarget.select();
            }}
            onKeyDown={onKey}
          />
        </Field>
        {isShown && (
          // biome-ignore lint/a11y/noStaticElementInteractions: keeps the focus, without which a click closes the list
          <div class="found" onMouseDown={(event) => event.preventDefault()}>
            <div id={id} role="listbox" aria-label="Found tokens">
              {results.map((one, index) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the field pick a result
                <div
                  key={`${one.chain} ${one.token}`}
                  id={`${id}-${index}`}
                  role="option"
                  aria-selected={index === active}
                  tabIndex={-1}
                  onMouseEnter={() => setMark(one)}
                  onClick={() => pick(one)}
                >
                  <Found one={one} isHere={one.chain === chain} />
                </div>
              ))}
            </div>
            <p class="quiet" role="status">
              {isSearched && found === undefined
                ? "Searching …"
                : (found?.problem ?? (isNone ? "No token known here has this name." : ""))}
            </p>
            {isNone && (
              <p>
                <button type="button" class="plain" onClick={paste}>
                  Paste its address
                </button>{" "}
                <button type="button" class="plain" onClick={openDiscovery}>
                  See new tokens
                </button>
              </p>
            )}
          </div>
        )}
      </div>
      <fieldset class="shortcuts" aria-label="Listed tokens">
        {tokens.map((each) => (
          <button
            key={each.token}
            type="button"
            aria-pressed={each.token === token}
            onClick={() => onPick(each.token)}
          >
            {each.symbol}
          </button>
        ))}
      </fieldset>
    </>
  );
}

/** Shows a token that the search found. Its depth is known if its market is followed. */
function Found({ one, isHere }: { one: FoundToken; isHere: boolean }) {
  const { state } = useDesk();
  const { liquidity } = (state && marketOf(state, one)) ?? {};
  return (
    <>
      <strong>{one.symbol}</strong> <span>{one.name}</span>
      <span class={isHere ? "badge good" : "badge"}>{chainName[one.chain]}</span>
      <small>
        {shortened(one.token)}
        {liquidity !== undefined && `, depth ${amount(liquidity, 4)} ${coinOf[one.chain]}`}
      </small>
      {one.listed && <span class="badge good">listed</span>}
      {one.flags?.includes("NEW") && <span class="badge warn">new, and by anybody</span>}
      {one.flags?.includes("IMPERSONATES") && (
        <span class="badge bad">imitates the name of a listed token</span>
      )}
    </>
  );
}
