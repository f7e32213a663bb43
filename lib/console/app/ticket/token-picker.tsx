import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { Token } from "trading-terminal-client";
import { isSameToken, marketOf } from "trading-terminal-client/markets";
import { Field, type NetworkName } from "../controls.tsx";
import { useDesk } from "../desk.ts";
import { amount, chainName, coinOf, shortened } from "../format.ts";
import { focusSoon } from "../keyboard.tsx";
import { isAddress, isSearch, useTokenSearch } from "./token-search.ts";

type PickerProps = {
  chain: NetworkName;
  token: string;
  tokens: readonly Token[];
  onPick: (token: string, chain?: NetworkName) => void;
};

/** Picks a token by a pasted address, by its name or from a list. */
export function TokenPicker({ chain, token, tokens, onPick }: PickerProps) {
  const { state } = useDesk();
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  /** Text of the field until a token is picked or the field is left. Chart and ticket keep their token meanwhile. */
  const [typed, setTyped] = useState<string>();
  const text = typed?.trim() ?? "";
  const listed = tokens.find((each) => isSameToken({ chain, token }, each));
  const shown = typed ?? ((listed ?? (state && marketOf(state, { chain, token })))?.symbol || token);
  /** Place of the marked result. Enter takes the first one if the arrow keys have marked none. */
  const [marked, setMarked] = useState(-1);
  const active = Math.max(marked, 0);
  const found = useTokenSearch(text);
  const results = found?.tokens ?? [];
  const isShown = isSearch(text);
  useEffect(() => setMarked(-1), [found]);
  // Drops the text if a link or another field picks a token or a chain.
  useEffect(() => setTyped((before) => (before?.trim() === token ? before : undefined)), [chain, token]);
  // Selects the symbol, which the next key replaces as a whole.
  useEffect(() => {
    if (typed === undefined && document.activeElement === field.current) field.current?.select();
  }, [typed, shown]);

  function type(next: string) {
    setTyped(next);
    if (isAddress(next.trim())) onPick(next.trim());
  }
  function pick(one: Token) {
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
      setMarked(((step > 0 ? marked : active) + step + results.length) % results.length);
    }
    const one = results[active];
    if (event.key === "Enter" && one !== undefined) pick(one);
  }

  return (
    <>
      <div class="search">
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
            onFocus={({ currentTarget }) => currentTarget.select()}
            onBlur={() => setTyped(undefined)}
            onKeyDown={onKey}
          />
        </Field>
        {isShown && (
          <div class="found">
            <div id={id} role="listbox" aria-label="Found tokens">
              {results.map((one, index) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the field pick a result
                <div
                  key={`${one.chain} ${one.token}`}
                  id={`${id}-${index}`}
                  role="option"
                  aria-selected={index === active}
                  tabIndex={-1}
                  // Keeps the focus in the field. If the field lost it, the list would close before the click.
                  onMouseDown={(event) => event.preventDefault()}
                  onMouseEnter={() => setMarked(index)}
                  onClick={() => pick(one)}
                >
                  <Found one={one} isHere={one.chain === chain} />
                </div>
              ))}
            </div>
            <p class="quiet" role="status">
              {found === undefined
                ? "Searching …"
                : (found.problem ?? (results.length === 0 ? "No token has this name." : ""))}
            </p>
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
function Found({ one, isHere }: { one: Token; isHere: boolean }) {
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
