import { useId } from "preact/hooks";
import { Field } from "../controls.tsx";

type NumberProps = {
  label: string;
  hint?: string | undefined;
  /** Problem of the number, in words. */
  problem?: string | undefined;
  value: string;
  placeholder?: string;
  id?: string;
  onEdit: (text: string) => void;
};

/** Edits a number as text, and says below it what is wrong. */
export function NumberField({ label, hint, problem, value, placeholder = "", id, onEdit }: NumberProps) {
  const own = useId();
  return (
    <div>
      <Field label={label} hint={hint}>
        <input
          id={id}
          inputMode="decimal"
          autocomplete="off"
          aria-invalid={problem !== undefined}
          aria-describedby={problem === undefined ? undefined : own}
          value={value}
          placeholder={placeholder}
          onInput={({ currentTarget }) => onEdit(currentTarget.value.trim().replace(/^\./, "0."))}
        />
      </Field>
      <Problem id={own} text={problem} />
    </div>
  );
}

/** Says what is wrong with a field. The element exists before its text, so that screen readers announce the text. */
export const Problem = ({ id, text }: { id?: string; text: string | undefined }) => (
  <p id={id} class="problem" role="status">
    {text}
  </p>
);

type Chip = {
  text: string;
  onPick: () => void;
  isPressed?: boolean;
  /** Accessible name, if the text does not say what the button does. */
  label?: string;
};

/** Small buttons that fill in a field. Tab stops at one of them; arrow keys move between them. */
export function Chips({ label, chips }: { label: string; chips: readonly Chip[] }) {
  function onKey(event: KeyboardEvent & { currentTarget: HTMLElement }) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const buttons = [...event.currentTarget.querySelectorAll("button")];
    const next = buttons.indexOf(document.activeElement as HTMLButtonElement) + step;
    buttons[(next + buttons.length) % buttons.length]?.focus();
    event.preventDefault();
  }
  const pressed = chips.findIndex(({ isPressed }) => isPressed);
  const stop = Math.max(0, pressed);
  return (
    <div class="shortcuts" role="toolbar" aria-label={label} onKeyDown={onKey}>
      {chips.map(({ text, onPick, isPressed, label: name }, index) => (
        <button
          key={text}
          type="button"
          tabIndex={index === stop ? 0 : -1}
          aria-pressed={isPressed}
          aria-label={name}
          onClick={onPick}
        >
          {text}
        </button>
      ))}
    </div>
  );
}
