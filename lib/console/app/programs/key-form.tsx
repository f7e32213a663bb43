import { useState } from "preact/hooks";
import { makeProgramKey } from "trading-terminal-client/key";
import { Field, Form, networks } from "../controls.tsx";
import { useCall, useDesk } from "../desk.ts";
import { LimitField } from "../number-field.tsx";
import {
  dayRange,
  freshForm,
  type KeyTerms,
  type MadeKey,
  requestOf,
  type Scope,
  scopeTexts,
} from "./key-terms.ts";

/** Adds or removes a value of a list. */
const toggled = <Value,>(values: readonly Value[], value: Value): Value[] =>
  values.includes(value) ? values.filter((each) => each !== value) : [...values, value];

type ChecksProps<Value extends string> = {
  legend: string;
  options: readonly (readonly [value: Value, text: string])[];
  chosen: readonly Value[];
  onPick: (chosen: Value[]) => void;
};

function Checks<Value extends string>({ legend, options, chosen, onPick }: ChecksProps<Value>) {
  return (
    <fieldset class="checks">
      <legend>{legend}</legend>
      {options.map(([value, text]) => (
        <label key={value} class="check">
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={() => onPick(toggled(chosen, value))}
          />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** Registers the key of a program, with what the program may do. */
export function KeyForm({ onMade }: { onMade: (made: MadeKey) => void }) {
  const { terminal, state } = useDesk();
  const { call, isBusy } = useCall();
  const [form, setForm] = useState(() => freshForm(new Date()));
  /** The pair of keys of the last attempt. The user repeats it after a sign-in. */
  const [pair, setPair] = useState<{ publicKey: string; privateKey: string }>();
  const [problem, setProblem] = useState("");
  const edit = (change: Partial<KeyTerms>) => setForm({ ...form, ...change });

  async function make() {
    setProblem("");
    if (form.scopes.length === 0) return setProblem("Choose at least one thing that the program may do.");
    const given = form.publicKey.trim();
    const own = given === "" ? (pair ?? (await newPair())) : undefined;
    if (given === "" && own === undefined) return;
    setPair(own);
    const body = requestOf(form, own?.publicKey ?? given);
    const made = await call(() => terminal.createKey({ body }));
    if (made === undefined) return;
    setForm(freshForm(new Date()));
    setPair(undefined);
    onMade({ key: made.key, privateKey: own?.privateKey });
  }
  const newPair = () =>
    makeProgramKey().catch(() => {
      setProblem(
        "This browser cannot make a pair of keys. Make one in your program, and paste the public one.",
      );
      return undefined;
    });

  return (
    <Form
      label="Make a program key"
      class="key-form"
      onSubmit={make}
      data-unsaved={form.name !== "" || undefined}
    >
      <Field label="Name">
        <input
          required
          maxLength={40}
          value={form.name}
          onInput={({ currentTarget }) => edit({ name: currentTarget.value })}
        />
      </Field>
      <Checks<Scope>
        legend="The program may"
        options={Object.entries(scopeTexts) as [Scope, string][]}
        chosen={form.scopes}
        onPick={(scopes) => edit({ scopes })}
      />
      {form.scopes.includes("trade") && (
        <OrderLimits form={form} edit={edit} wallets={state?.wallets ?? []} />
      )}
      <Field label="Last day" hint="at most a year away">
        <input
          required
          type="date"
          {...dayRange(new Date())}
          value={form.lastDay}
          onInput={({ currentTarget }) => edit({ lastDay: currentTarget.value })}
        />
      </Field>
      <Field label="Public key" hint="empty to make a pair of keys in this browser">
        <input
          spellcheck={false}
          pattern="\s*[A-Za-z0-9_\-]{43}\s*"
          title="32 bytes of an Ed25519 key in base64url: 43 characters"
          value={form.publicKey}
          onInput={({ currentTarget }) => edit({ publicKey: currentTarget.value })}
        />
      </Field>
      {problem && (
        <p class="notice bad" role="alert">
          {problem}
        </p>
      )}
      <button type="submit" class="primary" disabled={isBusy}>
        Make the key
      </button>
    </Form>
  );
}

type LimitsProps = {
  form: KeyTerms;
  edit: (change: Partial<KeyTerms>) => void;
  wallets: readonly { slotName: string; network: string; generatedWalletAddress: string }[];
};

/** Edits the limits that bound the orders of a program. */
function OrderLimits({ form, edit, wallets }: LimitsProps) {
  const own = wallets.map(
    ({ generatedWalletAddress: address, slotName, network }) => [address, `${slotName}, ${network}`] as const,
  );
  const number = (name: "maxPerOrder" | "maxPerDay", label: string) => (
    <LimitField
      label={label}
      hint="in the chain's coin, empty for no limit"
      value={form[name]}
      onEdit={(text) => edit({ [name]: text })}
    />
  );
  return (
    <fieldset class="limits">
      <legend>Limits of its orders, besides those of the wallets</legend>
      {number("maxPerOrder", "Most for a buy")}
      {number("maxPerDay", "Most in a day on each chain")}
      {form.maxPerDay === "" && (
        <p class="notice">
          Without a limit for a day, whoever steals the key can trade all that the wallets hold.
        </p>
      )}
      <Checks
        legend="Chains, all if none is chosen"
        options={networks}
        chosen={form.chains}
        onPick={(chains) => edit({ chains })}
      />
      {own.length > 0 && (
        <Checks
          legend="Wallets, all if none is chosen"
          // Two networks of a family can have a wallet of the same address.
          options={[...new Map(own)]}
          chosen={form.wallets}
          onPick={(chosen) => edit({ wallets: chosen })}
        />
      )}
      <Field label="Tokens that it may buy and sell" hint="one address a line, empty for any">
        <textarea
          rows={2}
          spellcheck={false}
          value={form.tokens}
          onInput={({ currentTarget }) => edit({ tokens: currentTarget.value })}
        />
      </Field>
    </fieldset>
  );
}
