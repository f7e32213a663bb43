import { useEffect, useId, useState } from "preact/hooks";
import type { Network } from "trading-terminal-client";
import { Field } from "../controls.tsx";
import { Problem } from "../number-field.tsx";
import { browserStore } from "../stores.ts";
import { Chips } from "./chips.tsx";
import type { Side } from "./order-types.ts";
import {
  longestName,
  mostPresets,
  type OwnPreset,
  readPresets,
  renamed,
  without,
  withPreset,
  wrongName,
} from "./own-presets.ts";

/** Keeps the user's own presets of a chain in this browser. */
function useOwnPresets(chain: Network) {
  const key = `own-presets ${chain}`;
  const [presets, setPresets] = useState<OwnPreset[]>([]);
  useEffect(() => {
    const read = () => setPresets(readPresets(browserStore.get(key)));
    read();
    // Another tab may change them.
    addEventListener("storage", read);
    return () => removeEventListener("storage", read);
  }, [key]);
  function keep(next: OwnPreset[]) {
    browserStore.set(key, JSON.stringify(next));
    setPresets(next);
  }
  return [presets, keep] as const;
}

type PresetsProps = {
  chain: Network;
  side: Side;
  /** Present values of the ticket. Undefined while it cannot be kept. */
  current: Omit<OwnPreset, "name"> | undefined;
  /** Says what the ticket spends now. */
  size: string;
  onUse: (preset: OwnPreset) => void;
};

/** Lists the user's own presets, to use, save, rename and delete them. */
export function PresetsDrawer({ chain, side, current, size, onUse }: PresetsProps) {
  const [presets, keep] = useOwnPresets(chain);
  const [name, setName] = useState("");
  const [problem, setProblem] = useState<string>();
  const id = useId();
  function save() {
    if (current === undefined) return;
    const chosen = name.trim() || size;
    const wrong = wrongName(chosen, []);
    setProblem(wrong);
    if (wrong !== undefined) return;
    keep(withPreset(presets, { ...current, name: chosen }));
    setName("");
  }
  function rename(from: string, to: string) {
    const wrong = to === from ? undefined : wrongName(to, presets);
    setProblem(wrong);
    if (wrong === undefined) keep(renamed(presets, from, to));
  }
  const ofSide = presets.filter((preset) => preset.side === side);
  const isFull = presets.length >= mostPresets;
  return (
    <>
      {ofSide.length > 0 && (
        <Chips
          label="My presets"
          chips={ofSide.map((preset) => ({
            text: preset.name,
            onPick: () => onUse(preset),
            label: `${preset.name}: ${preset.side} ${preset.given}${preset.unit === "percent" ? " %" : ""}`,
          }))}
        />
      )}
      <details class="drawer">
        <summary>My presets</summary>
        <ul class="own-presets">
          {presets.map((preset) => (
            <li key={preset.name}>
              <input
                aria-label={`Name of ${preset.name}`}
                defaultValue={preset.name}
                maxLength={longestName}
                onChange={({ currentTarget }) => rename(preset.name, currentTarget.value.trim())}
              />
              <button
                type="button"
                class="plain"
                aria-label={`Delete ${preset.name}`}
                onClick={() => keep(without(presets, preset.name))}
              >
                Delete
              </button>
            </li>
          ))}
        </ul>
        <div class="own-presets">
          <Field label="Name of a new one" hint={`keeps ${size}, in this browser`}>
            <input
              value={name}
              placeholder={size}
              maxLength={longestName}
              aria-describedby={id}
              onInput={({ currentTarget }) => setName(currentTarget.value)}
            />
          </Field>
          <button type="button" disabled={current === undefined || isFull} onClick={save}>
            Save
          </button>
        </div>
        <Problem
          id={id}
          text={problem ?? (isFull ? `There are ${mostPresets}: delete one first.` : undefined)}
        />
      </details>
    </>
  );
}
