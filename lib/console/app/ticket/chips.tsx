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
