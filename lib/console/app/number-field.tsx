import { useId } from "preact/hooks";
import { Field } from "./controls.tsx";

type NumberFieldProps = {
  label: string;
  hint?: string | undefined;
  /** Problem of the number, in words. */
  problem?: string | undefined;
  value: string;
  placeholder?: string;
  id?: string;
  onEdit: (text: string) => void;
};

/** Edits a number as text, and says below it what is wrong. Its form is not sent meanwhile. */
export function NumberField({ label, hint, problem, value, placeholder = "", id, onEdit }: NumberFieldProps) {
  const own = useId();
  return (
    <div>
      <Field label={label} hint={hint}>
        <input
          ref={(input) => input?.setCustomValidity(problem ?? "")}
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

type LimitFieldProps = Pick<NumberFieldProps, "label" | "hint" | "value" | "onEdit">;

/** Edits a limit, which may be absent. The browser says what is wrong with it when its form is sent. */
export const LimitField = ({ label, hint, value, onEdit }: LimitFieldProps) => (
  <Field label={label} hint={hint}>
    <input
      inputMode="decimal"
      pattern="[0-9]*[.]?[0-9]+"
      title="A number, such as 1.5"
      value={value}
      onInput={({ currentTarget }) => onEdit(currentTarget.value)}
    />
  </Field>
);

/** Says what is wrong with a field. The element exists before its text, so that screen readers announce the text. */
export const Problem = ({ id, text }: { id?: string; text: string | undefined }) => (
  <p id={id} class="problem" role="status">
    {text}
  </p>
);
