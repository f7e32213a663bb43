import { Field } from "./controls.tsx";
import { problemOf, type Range, rangeText } from "./number-range.ts";

type NumberFieldProps = {
  label: string;
  value: string;
  onEdit: (text: string) => void;
  range?: Range;
  /** Meaning of an empty field. Without it, the field must have a number. */
  whenEmpty?: string;
};

/** Edits a number. The field says its limits, and what is wrong with its text; its form is not sent meanwhile. */
export function NumberField({ label, value, onEdit, range, whenEmpty }: NumberFieldProps) {
  const isLeftOut = value === "" && whenEmpty !== undefined;
  const problem = isLeftOut ? undefined : problemOf(value, range);
  const hints = [range && rangeText(range), whenEmpty && `empty for ${whenEmpty}`].filter(Boolean);
  return (
    <div>
      <Field label={label} hint={hints.join(", ") || undefined}>
        <input
          ref={(input) => input?.setCustomValidity(problem ?? "")}
          inputMode="decimal"
          required={whenEmpty === undefined}
          aria-invalid={problem !== undefined}
          value={value}
          onInput={({ currentTarget }) => onEdit(currentTarget.value.trim())}
        />
      </Field>
      {problem !== undefined && (
        <small class="bad" role="alert">
          {problem}
        </small>
      )}
    </div>
  );
}
