import { type ComponentChildren, Fragment } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

type PanelProps = { title: string; children: ComponentChildren; aside?: ComponentChildren; area: string };

/** A section of the page with a heading. `area` names its place in the grid. */
export function Panel({ title, children, aside, area }: PanelProps) {
  const id = useId();
  return (
    <section class={`panel ${area}`} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

type FieldProps = { label: string; children: ComponentChildren; hint?: string | undefined };

export function Field({ label, children, hint }: FieldProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is a child
    <label class="field">
      <span>
        {label}
        {hint && <small> {hint}</small>}
      </span>
      {children}
    </label>
  );
}

type SelectProps<Value extends string> = {
  label: string;
  id?: string;
  value: Value;
  options: readonly (readonly [value: Value, text: string])[];
  onPick: (value: Value) => void;
};

export function Select<Value extends string>({ label, id, value, options, onPick }: SelectProps<Value>) {
  return (
    <Field label={label}>
      <select id={id} value={value} onChange={({ currentTarget }) => onPick(currentTarget.value as Value)}>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </Field>
  );
}

type ChoiceProps<Value extends string> = {
  label: string;
  name: string;
  value: Value;
  options: readonly (readonly [value: Value, text: string])[];
  onPick: (value: Value) => void;
};

/** Radio buttons that look like tabs: arrow keys move between them. */
export function Choice<Value extends string>({ label, name, value, options, onPick }: ChoiceProps<Value>) {
  return (
    <fieldset class="choice">
      <legend>{label}</legend>
      {options.map(([option, text]) => (
        <label key={option} class={`option-${option}`}>
          <input
            type="radio"
            name={name}
            value={option}
            checked={option === value}
            onChange={() => onPick(option)}
          />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}

type DrawerProps = {
  /** True while something inside needs the user. The drawer opens when this begins. */
  isNeeded: boolean;
  children: ComponentChildren;
};

/** Hides a part of a form until it is opened. */
export function Drawer({ isNeeded, children }: DrawerProps) {
  const element = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (isNeeded && element.current) element.current.open = true;
  }, [isNeeded]);
  return (
    <details ref={element} class="drawer">
      {children}
    </details>
  );
}

type FactsProps = { facts: readonly (readonly [name: string, text: ComponentChildren])[] };

export function Facts({ facts }: FactsProps) {
  return (
    <dl class="facts">
      {facts.map(([name, text]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </Fragment>
      ))}
    </dl>
  );
}

/** Reports that a section of the page could not be loaded. */
export const Unread = ({ what, onRetry }: { what: string; onRetry: () => void }) => (
  <p class="empty" role="alert">
    The {what} could not be read.{" "}
    <button type="button" class="plain" onClick={onRetry}>
      Try again
    </button>
  </p>
);

type FormProps = {
  onSubmit: () => unknown;
  children: ComponentChildren;
  class?: string;
  label?: string;
  /** True if a reload would lose what the user has entered. */
  "data-unsaved"?: true | undefined;
};

export function Form({ onSubmit, children, label, ...rest }: FormProps) {
  const submit = (event: Event) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form autocomplete="off" aria-label={label} onSubmit={submit} {...rest}>
      {children}
    </form>
  );
}

type ConfirmationProps = {
  /** Label of the button that continues. */
  yes: string;
  isBusy: boolean;
  onYes: () => unknown;
  onKeep: () => void;
  /** Consequences of continuing. */
  children: ComponentChildren;
};

/** Asks once more before something ends. */
export const Confirmation = ({ yes, isBusy, onYes, onKeep, children }: ConfirmationProps) => (
  <div class="edit">
    <p>{children}</p>
    <div class="buttons">
      <button type="button" class="danger" disabled={isBusy} onClick={onYes}>
        {yes}
      </button>
      <button type="button" onClick={onKeep}>
        Keep it
      </button>
    </div>
  </div>
);

type DialogProps = { title: string; onClose?: () => void; children: ComponentChildren };

/**
 * A modal dialog. Escape closes it if `onClose` is given. Chromium closes every dialog at the second Escape, so a
 * dialog without `onClose` opens again.
 */
export function Dialog({ title, onClose, children }: DialogProps) {
  const id = useId();
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const { current } = element;
    current?.showModal();
    // Returns the focus. Without it, the browser would lose it with the dialog.
    return () => current?.close();
  }, []);
  // The browser reports a close later, when the dialog may be gone.
  const closed = () => element.current && (onClose ?? (() => element.current?.showModal()))();
  return (
    <dialog
      ref={element}
      class="dialog"
      aria-labelledby={id}
      onClose={closed}
      onCancel={(event) => onClose === undefined && event.preventDefault()}
    >
      <header>
        <h2 id={id}>{title}</h2>
        {onClose && (
          <button type="button" class="plain" aria-label="Close" onClick={() => element.current?.close()}>
            ✕
          </button>
        )}
      </header>
      {children}
    </dialog>
  );
}

export const networks = [
  ["eth", "Ethereum"],
  ["base", "Base"],
  ["bsc", "BNB Chain"],
  ["avax", "Avalanche"],
  ["sol", "Solana"],
] as const;

export type NetworkName = (typeof networks)[number][0];

export const colours = ["blue", "green", "orange", "purple", "red", "teal", "yellow", "pink"] as const;

export type Colour = (typeof colours)[number];

type SwatchesProps = { name: string; value: Colour | undefined; onPick: (colour: Colour) => void };

export function Swatches({ name, value, onPick }: SwatchesProps) {
  return (
    <fieldset class="swatches">
      <legend>Colour</legend>
      {colours.map((colour) => (
        <label key={colour} title={colour}>
          <input
            type="radio"
            name={name}
            checked={colour === value}
            onChange={() => onPick(colour)}
            aria-label={colour}
          />
          <i class={`dot ${colour}`} />
        </label>
      ))}
    </fieldset>
  );
}
